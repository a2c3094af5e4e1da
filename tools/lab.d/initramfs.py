# SPDX-License-Identifier: BSD-2-Clause
"""The guest's initramfs: static busybox, guest-init and the modules that are loaded before the root is mounted."""
import os
import shutil
import subprocess

# Modules that guest-init needs for the host's shares, and the verbs core, which our modules need.
MODULES = ("virtio_pci", "virtio_console", "virtio_rng", "9pnet_virtio", "9p", "ib_uverbs")


def module_files(kernel, names):
    """Return the paths of the named modules and their dependencies, in loading order, each once."""
    files = {}
    for name in names:
        shown = subprocess.run(
            ["modprobe", "-S", kernel.release, "-d", kernel.directory, "--show-depends", name],
            check=True, capture_output=True, text=True).stdout
        for line in shown.splitlines():
            words = line.split(maxsplit=1)
            if words[0] == "insmod":
                files[words[1].strip()] = None
    return list(files)


def dependencies(module):
    """Return the names of the kernel's own modules on which one of ours depends."""
    shown = subprocess.run(["modinfo", "-F", "depends", module], check=True, capture_output=True, text=True).stdout
    return [name for name in shown.strip().split(",") if name]


def build(kernel, own_modules, more, init, stage, target):
    """Pack an initramfs for the kernel into the file target; stage is an empty folder for its content. more: names of
    further modules of the kernel."""
    own_names = {os.path.basename(path).removesuffix(".ko") for path in own_modules}
    needed = [name for path in own_modules for name in dependencies(path) if name not in own_names]
    for folder in ("bin", "modules", "dev", "proc", "sys", "run", "new"):
        os.makedirs(os.path.join(stage, folder))
    shutil.copy("/bin/busybox", os.path.join(stage, "bin/busybox"))
    shutil.copy(init, os.path.join(stage, "init"))
    files = module_files(kernel, [*MODULES, *more, *needed])
    for path in files:
        shutil.copy(path, os.path.join(stage, "modules"))
    with open(os.path.join(stage, "modules/order"), "w", encoding="utf-8") as f:
        f.writelines(os.path.basename(path) + "\n" for path in files)
    names = [os.path.relpath(os.path.join(folder, name), stage)
             for folder, folders, plain in os.walk(stage) for name in folders + plain]
    with open(target, "wb") as f:
        subprocess.run(["cpio", "-o", "-H", "newc", "--quiet"], check=True, cwd=stage,
                       input="\n".join(names).encode(), stdout=f)
    shutil.rmtree(stage)
