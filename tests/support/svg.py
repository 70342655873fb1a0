"""Pictures for the documentation: the few shapes that they are made of, without any library."""

import html


class Picture:
    """Shapes are drawn in the order in which they are added."""

    def __init__(self, width, height):
        self.parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13">',
                      f'<rect width="{width}" height="{height}" fill="white"/>']

    def text(self, x, y, words, anchor="start", **style):
        attributes = f' text-anchor="{anchor}"' if anchor != "start" else ""
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}"{attributes}{attributes_of(style)}>{html.escape(words)}</text>')

    def line(self, x1, y1, x2, y2, stroke="#ddd", **style):
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{stroke}"{attributes_of(style)}/>')

    def path(self, points, colour):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for x, y in points:
            self.dot(x, y, 3, colour)

    def dot(self, x, y, radius, colour):
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{colour}"/>')

    def box(self, x, y, width, height, colour):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}"/>')

    def finish(self):
        return "\n".join(self.parts + ["</svg>"]) + "\n"


def attributes_of(style):
    return "".join(f' {name.replace("_", "-")}="{value}"' for name, value in style.items())
