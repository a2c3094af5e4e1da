# SPDX-License-Identifier: BSD-2-Clause
"""The guest's kernels: Debian's own, and a debug kernel."""
import glob
import os
import re
import subprocess

from processes import LabError, finish_process

PARTS = os.path.dirname(os.path.realpath(__file__))

# Without this, KASAN would stop reporting after its first report.
DEBUG_OPTIONS = ("kasan_multi_shot",)


class Kernel:
    """A guest kernel in the cache.

    name: stock or debug; release: the guest's uname -r; image: the file that QEMU boots;
    directory: the folder that contains lib/modules; options: for its command line; make_target: builds our modules.
    """

    def __init__(self, name, release, directory, image, options=()):
        self.name = name
        self.release = release
        self.directory = directory
        self.image = os.path.join(directory, image)
        self.options = options
        self.make_target = {"stock": "kernel", "debug": "kernel-debug"}[name]
        if not os.path.exists(self.image):
            raise LabError(f"{self.image} is missing: run tools/setup lab")

    def module_folder(self, checkout):
        """Return the folder of our modules for this kernel."""
        return os.path.join(checkout, f"build/kernel-{self.name}")

    def modules_fit(self, checkout):
        """Return whether the modules there were built for this kernel, from the present sources."""
        folder = self.module_folder(checkout)
        try:
            built = os.stat(os.path.join(folder, ".built")).st_mtime
            with open(os.path.join(folder, ".version"), encoding="utf-8") as f:
                return f.read().strip() == self.release and built >= _newest(checkout, "kernel", "uapi")
        except FileNotFoundError:
            return False


def _newest(checkout, *folders):
    """Return the time when the newest source of these folders was changed."""
    return max(os.stat(os.path.join(folder, name)).st_mtime for top in folders
               for folder, _, names in os.walk(os.path.join(checkout, top)) for name in names)


def output(part, *arguments):
    """Return the output of a program of this folder; if it fails, it has told the user why."""
    ran = subprocess.run([os.path.join(PARTS, part), *arguments], check=False, stdout=subprocess.PIPE, text=True)
    if ran.returncode:
        raise LabError(f"{part} failed, as it says above")
    return ran.stdout.strip()


def stock():
    release = output("kernel-version")
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Kernel("stock", release, os.path.join(cache, "tally/kernel", release), "vmlinux")


def debug():
    """Return the debug kernel, which is built first if it does not exist."""
    if finish_process([os.path.join(PARTS, "debug-kernel"), "build"]):
        raise LabError("debug-kernel failed, as it says above")
    directory = output("debug-kernel", "folder")
    with open(os.path.join(directory, "release"), encoding="utf-8") as f:
        release = f.read().strip()
    return Kernel("debug", release, directory, "bzImage", DEBUG_OPTIONS)


def of_root(root):
    """Return the newest kernel that is installed in this folder, which contains a Debian."""
    images = glob.glob(os.path.join(glob.escape(root), "boot/vmlinuz-*"))
    if not images:
        raise LabError(f"{root} has no boot/vmlinuz-*: it is not a Debian with a kernel")
    newest = max(images, key=lambda path: [int(digits) for digits in re.findall("[0-9]+", os.path.basename(path))])
    return Kernel("stock", os.path.basename(newest).removeprefix("vmlinuz-"), root, newest)


def find(name):
    """Return the kernel of this name; LabError if it is not available."""
    return {"stock": stock, "debug": debug}[name]()
