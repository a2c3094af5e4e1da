# SPDX-License-Identifier: BSD-2-Clause
"""Line charts and stacked bars as SVG: the same numbers give the same bytes on any system."""
import math
from xml.sax.saxutils import escape

# One colour for one meaning in all plots. Most are of Okabe and Ito's palette, which is distinguishable
# with any colour vision.
NICS, NICS_LIGHT, HOST, BEST, FLOOR = "#0072b2", "#56b4e9", "#d55e00", "#009e73", "#000000"
COLOURS = {"NICs": NICS, "NICs / floor": NICS, "host, default": HOST, "host, best": BEST, "floor": FLOOR,
           # What a critical path consists of.
           "host": "#cc79a7", "PCIe": "#e69f00", "engine": NICS, "transmit queue": NICS_LIGHT, "wire": "#444444",
           "cables": "#888888", "switches": "#bbbbbb", "queues": "#808000"}
WIDTH, HEIGHT = 760, 420
APART = 6       # pixels between points that get marks
LEFT, RIGHT, TOP, BOTTOM = 78, 190, 40, 56     # margins of the plot; the legend is at the right
FONT = "font-family='DejaVu Sans, Verdana, sans-serif' font-size='12'"


def number(value):
    """Return the label of a tick: 1500 is 1500, 0.50 is 0.5."""
    return f"{value:.10g}"


def size_label(size):
    """Return a label such as 8, 4Ki, 64Mi."""
    for power, unit in ((1 << 20, "Mi"), (1 << 10, "Ki")):
        if size >= power and size % power == 0:
            return f"{int(size) // power}{unit}"
    return number(size)


def decades(low, high):
    """Return 1, 2, 5 times powers of ten within low..high, and the next values outside."""
    steps = [mantissa * 10.0 ** exponent
             for exponent in range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
             for mantissa in (1, 2, 5)]
    first = max(i for i, step in enumerate(steps) if step <= low * 1.000001)
    last = min(i for i, step in enumerate(steps) if step >= high * 0.999999)
    return steps[first:last + 1]


def powers_of_two(low, high):
    return [2.0 ** e for e in range(math.floor(math.log2(low)), math.ceil(math.log2(high)) + 1)]


def steps_from_zero(high):
    rough = high / 6 if high > 0 else 1
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough * 0.999999)
    return [i * step for i in range(math.ceil(high / step - 1e-9) + 1)]


class Axis:
    """Maps values to positions between two edges of the plot."""

    def __init__(self, ticks, log, start, end, label=number):
        self.ticks, self.log, self.start, self.end, self.label = ticks, log, start, end, label
        self.low, self.high = self.scale(ticks[0]), self.scale(ticks[-1])

    def scale(self, value):
        return math.log(value) if self.log else value

    def at(self, value):
        part = (self.scale(value) - self.low) / ((self.high - self.low) or 1)
        return self.start + part * (self.end - self.start)


def text(x, y, content, anchor="start", more=""):
    return f"<text x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}' {more}>{escape(content)}</text>"


def frame(title, x_axis, y_axis, x_title, y_title):
    """Return grid, ticks and titles."""
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    out = [text((LEFT + right) / 2, 22, title, "middle", "font-weight='bold' font-size='14'")]
    shown = max(1, math.ceil(len(x_axis.ticks) / 12))
    for i, tick in enumerate(x_axis.ticks):
        x = x_axis.at(tick)
        out.append(f"<path d='M{x:.1f} {TOP}V{bottom}' stroke='#ddd'/>")
        if i % shown == 0:
            out.append(text(x, bottom + 18, x_axis.label(tick), "middle"))
    for tick in y_axis.ticks:
        y = y_axis.at(tick)
        out.append(f"<path d='M{LEFT} {y:.1f}H{right}' stroke='#ddd'/>")
        out.append(text(LEFT - 8, y + 4, y_axis.label(tick), "end"))
    out.append(f"<rect x='{LEFT}' y='{TOP}' width='{right - LEFT}' height='{bottom - TOP}' fill='none' stroke='#444'/>")
    out.append(text((LEFT + right) / 2, HEIGHT - 14, x_title, "middle"))
    middle = (TOP + bottom) / 2
    out.append(text(20, middle, y_title, "middle", f"transform='rotate(-90 20 {middle:.1f})'"))
    return out


def document(body):
    return (f"<svg xmlns='http://www.w3.org/2000/svg' width='{WIDTH}' height='{HEIGHT}' "
            f"viewBox='0 0 {WIDTH} {HEIGHT}' {FONT}>\n<rect width='{WIDTH}' height='{HEIGHT}' fill='#fff'/>\n"
            + "\n".join(body) + "\n</svg>\n")


def shades(names):
    """Styles of names that are steps of one quantity: from light to dark."""
    steps = max(1, len(names) - 1)
    return {name: ("#" + "".join(f"{round(light + (dark - light) * i / steps):02x}"
                                 for light, dark in zip((0x9e, 0xca, 0xe1), (0x08, 0x30, 0x6b))), False)
            for i, name in enumerate(names)}


def marked(places):
    """Points that have no neighbour nearby. The others look like a curve without marks."""
    gaps = [math.inf, *(after[0] - before[0] for before, after in zip(places, places[1:])), math.inf]
    return [place for i, place in enumerate(places) if min(gaps[i], gaps[i + 1]) >= APART]


def lines(title, x_title, y_title, series, x_kind="log2", y_kind="log", x_label=number, styles=None):
    """
    Return the chart of `series`, a list of (name, [(x, y), ...]). x_kind: log2 or linear; y_kind: log or zero (linear
    from 0).
    `styles`, (colour, whether it is dashed) by name, is for names that COLOURS does not have.
    """
    xs = [x for _, points in series for x, _ in points]
    ys = [y for _, points in series for _, y in points]
    x_ticks = powers_of_two(min(xs), max(xs)) if x_kind == "log2" else steps_from_zero(max(xs))
    y_ticks = decades(min(ys), max(ys)) if y_kind == "log" else steps_from_zero(max(ys))
    x_axis = Axis(x_ticks, x_kind == "log2", LEFT, WIDTH - RIGHT, x_label)
    y_axis = Axis(y_ticks, y_kind == "log", HEIGHT - BOTTOM, TOP)
    body = frame(title, x_axis, y_axis, x_title, y_title)
    for i, (name, points) in enumerate(series):
        colour, dashed = (styles or {}).get(name) or (COLOURS[name], False)
        dash = " stroke-dasharray='5 3'" if dashed else ""
        places = [(x_axis.at(x), y_axis.at(y)) for x, y in points]
        body.append(f"<path d='M{'L'.join(f'{x:.1f} {y:.1f}' for x, y in places)}' fill='none' "
                    f"stroke='{colour}' stroke-width='1.8'{dash}/>")
        body += [f"<circle cx='{x:.1f}' cy='{y:.1f}' r='2.6' fill='{colour}'/>" for x, y in marked(places)]
        y = TOP + 14 + 20 * i
        body.append(f"<path d='M{WIDTH - RIGHT + 14} {y - 4}h22' stroke='{colour}' stroke-width='1.8'{dash}/>")
        body.append(text(WIDTH - RIGHT + 42, y, name))
    return document(body)


def bars(title, x_title, rows):
    """Return `rows`, a list of (name, [(kind, length), ...]), as stacked bars; each kind has its colour."""
    kinds = list(dict.fromkeys(kind for _, parts in rows for kind, _ in parts))
    x_axis = Axis(steps_from_zero(max(sum(n for _, n in parts) for _, parts in rows)), False, LEFT, WIDTH - RIGHT)
    height = (HEIGHT - BOTTOM - TOP) / len(rows)
    y_axis = Axis([0, 1], False, HEIGHT - BOTTOM, TOP, lambda tick: "")
    body = frame(title, x_axis, y_axis, x_title, "")
    for i, (name, parts) in enumerate(rows):
        start, top = 0, TOP + height * (i + 0.2)
        body.append(text(LEFT - 8, top + height * 0.3 + 4, name, "end"))
        for kind, length in parts:
            x = x_axis.at(start)
            body.append(f"<rect x='{x:.1f}' y='{top:.1f}' width='{x_axis.at(start + length) - x:.1f}' "
                        f"height='{height * 0.6:.1f}' fill='{COLOURS[kind]}'/>")
            start += length
    for i, kind in enumerate(kinds):
        y = TOP + 14 + 20 * i
        body.append(f"<rect x='{WIDTH - RIGHT + 14}' y='{y - 11}' width='14' height='14' "
                    f"fill='{COLOURS[kind]}'/>")
        body.append(text(WIDTH - RIGHT + 34, y, kind))
    return document(body)
