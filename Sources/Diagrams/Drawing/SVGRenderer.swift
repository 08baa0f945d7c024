// A picture as SVG, in a given layout. Colours are the reader's (`currentColor`), in strengths that suit dark and light; a page that shows it may
// colour classes: `state`, `frame`, `region`, `final`, `edge`, `timer`, and in them `shape`, `name`, `line`, `head`, `label`.

import GameFlow

struct SVGRenderer {
    private let picture: Picture
    private let layout: Layout
    private var markup = Markup()

    static func svg(of picture: Picture, in layout: Layout) -> String {
        var drawing = SVGRenderer(picture: picture, layout: layout)
        drawing.draw()
        return drawing.markup.text
    }

    private mutating func draw() {
        let (width, height) = (layout.size.width.rounded(.up).drawn, layout.size.height.rounded(.up).drawn)
        markup.begin(
            "svg",
            [
                "xmlns": "http://www.w3.org/2000/svg", "width": width, "height": height, "viewBox": "0 0 \(width) \(height)",
                "role": "img", "class": "diagram", "font-family": "system-ui, 'Helvetica Neue', Arial, sans-serif",
                "font-size": PictureMetrics.nameSize.drawn, "fill": "none", "stroke-width": "1.2", "stroke-linecap": "round",
            ])
        markup.add("title", [:], text: picture.graph.graph.flow)
        for frame in picture.frames.indices where picture.problem.frames[frame].isVisible { draw(frame: frame) }
        for box in picture.boxes.indices { drawWord(box: box) }
        for link in picture.links.indices { draw(link: link) }
        for box in picture.boxes.indices { draw(box: box) }
        markup.end()
    }

    // MARK: Frames and boxes

    private mutating func draw(frame number: Int) {
        let (frame, area) = (picture.frames[number], layout.frames[number])
        let isRegion = picture.graph.isRegion(frame.state)
        markup.begin("g", ["id": "state-\(frame.state)", "class": isRegion ? "state frame region" : "state frame"])
        rectangle(
            area, radius: 8,
            [
                "fill": "currentColor", "fill-opacity": isRegion ? "0" : "0.025", "stroke": "currentColor",
                "stroke-opacity": "0.35",
                "stroke-dasharray": isRegion ? "5 4" : "",
            ])
        let place = Point(area.left + 12, area.top + 8)
        name(frame.title, at: Point(place.x, place.y + 13), ["font-weight": "600"])
        lines(frame.inner, at: Point(place.x, place.y + PictureMetrics.nameLine))
        markup.end()
    }

    private mutating func draw(box number: Int) {
        let area = layout.boxes[number]
        switch picture.boxes[number] {
        case .state(let state, let inner): draw(state, inner, area)
        case .dot:
            circle(area.middle, PictureMetrics.dot / 2, ["class": "begin", "fill": "currentColor", "fill-opacity": "0.75"])
        case .word: break
        }
    }

    private mutating func draw(_ state: Int, _ inner: [Picture.Line], _ area: Rectangle) {
        let kind = picture.graph.graph.states[state].kind
        let marks = kind == .final ? " final" : kind.isHistory ? " history" : ""
        markup.begin("g", ["id": "state-\(state)", "class": "state" + marks])
        let dashes = picture.graph.graph.states[state].isReached ? "" : "4 3"
        let radius = kind.isHistory ? PictureMetrics.history / 2 : 6
        rectangle(
            area, radius: radius,
            [
                "fill": "currentColor", "fill-opacity": "0.07", "stroke": "currentColor", "stroke-opacity": "0.6",
                "stroke-dasharray": dashes,
            ])
        if kind == .final {
            let inset = Rectangle(Point(area.left + 3, area.top + 3), Size(area.size.width - 6, area.size.height - 6))
            rectangle(inset, radius: 4, ["stroke": "currentColor", "stroke-opacity": "0.6"])
        }
        let first = inner.isEmpty ? area.middle.y + 4.5 : area.top + PictureMetrics.boxPadding.height + 13
        name(picture.name(state), at: Point(area.middle.x, first), ["text-anchor": "middle"])
        lines(
            inner,
            at: Point(
                area.left + PictureMetrics.boxPadding.width,
                area.top + PictureMetrics.boxPadding.height + PictureMetrics.nameLine))
        markup.end()
    }

    /// The start of an arrow that leads from a whole frame to a state inside it; its text is drawn with the arrow.
    private mutating func drawWord(box number: Int) {
        guard case .word = picture.boxes[number] else { return }
        rectangle(
            layout.boxes[number], radius: 9,
            ["fill": "currentColor", "fill-opacity": "0.05", "stroke": "currentColor", "stroke-opacity": "0.25"])
    }

    // MARK: Arrows

    private mutating func draw(link number: Int) {
        let (link, route) = (picture.links[number], layout.routes[number])
        guard route.points.count > 1 else { return }
        if link.edges.isEmpty { return arrow(route.points, isShown: true) }
        let (label, place) = words(of: number)
        let rows = Dictionary(grouping: label.indices) { label[$0].edge }
        for edge in link.edges {
            let isOfTimer = picture.graph.graph.edges[edge].timer != nil
            markup.begin("g", ["id": "edge-\(edge)", "class": isOfTimer ? "edge timer" : "edge"])
            // Edges of the same link lie on top of each other: a page may show each by itself.
            arrow(route.points, isShown: edge == link.edges[0])
            if let place { for row in rows[edge] ?? [] { line(label[row], row, at: place) } }
            markup.end()
        }
    }

    /// The text at a link, and its place.
    private func words(of number: Int) -> ([Picture.Line], Point?) {
        if case .box(let box) = picture.problem.links[number].from, case .word(let words) = picture.boxes[box] {
            return (words, layout.boxes[box].origin.moved(by: Point(8, 4)))
        }
        return (picture.links[number].label, layout.routes[number].label)
    }

    private mutating func arrow(_ points: [Point], isShown: Bool) {
        let (line, head) = ArrowHead.split(points)
        let colour = isShown ? "currentColor" : "none"
        let opacity = isShown ? "0.6" : ""
        markup.add("path", ["class": "line", "d": line.path, "stroke": colour, "stroke-opacity": opacity])
        markup.add("path", ["class": "head", "d": head, "fill": colour, "fill-opacity": isShown ? "0.7" : ""])
    }

    // MARK: Texts and shapes

    private mutating func name(_ text: String, at place: Point, _ look: Attributes) {
        markup.add(
            "text", ["class": "name", "x": place.x.drawn, "y": place.y.drawn, "fill": "currentColor"], look, text: text)
    }

    /// The edges within a state: each line is a separate edge, and those without a line have an element without content.
    private mutating func lines(_ lines: [Picture.Line], at place: Point) {
        for (row, line) in lines.enumerated() {
            if let edge = line.edge { beginInner(edge) }
            self.line(line, row, at: place)
            if line.edge != nil { markup.end() }
            for edge in line.omitted {
                beginInner(edge)
                markup.end()
            }
        }
    }

    private mutating func beginInner(_ edge: Int) {
        let isOfTimer = picture.graph.graph.edges[edge].timer != nil
        markup.begin("g", ["id": "edge-\(edge)", "class": isOfTimer ? "edge inner timer" : "edge inner"])
    }

    /// A line of a text that begins at that place.
    private mutating func line(_ line: Picture.Line, _ row: Int, at place: Point) {
        let middle = place.y + Double(row) * PictureMetrics.labelLine + PictureMetrics.labelLine / 2
        if line.isOfTimer { clock(at: Point(place.x + 4.5, middle)) }
        markup.add(
            "text",
            [
                "class": "label", "x": (place.x + (line.isOfTimer ? PictureMetrics.clock : 0)).drawn, "y": (middle + 4).drawn,
                "font-size": PictureMetrics.labelSize.drawn, "fill": "currentColor", "fill-opacity": "0.85",
            ], text: line.text)
    }

    /// A small clock before what a timer does.
    private mutating func clock(at middle: Point) {
        let hands = "M\(middle.x.drawn) \((middle.y - 2.4).drawn)V\(middle.y.drawn)H\((middle.x + 1.8).drawn)"
        circle(middle, 4.2, ["class": "clock", "stroke": "currentColor", "stroke-opacity": "0.7"])
        markup.add(
            "path", ["class": "clock", "d": hands, "stroke": "currentColor", "stroke-opacity": "0.7", "stroke-width": "1"])
    }

    private mutating func circle(_ middle: Point, _ radius: Double, _ look: Attributes) {
        markup.add("circle", ["cx": middle.x.drawn, "cy": middle.y.drawn, "r": radius.drawn], look)
    }

    private mutating func rectangle(_ area: Rectangle, radius: Double, _ look: Attributes) {
        markup.add(
            "rect",
            [
                "class": "shape", "x": area.left.drawn, "y": area.top.drawn, "width": area.size.width.drawn,
                "height": area.size.height.drawn, "rx": radius.drawn,
            ], look)
    }
}

// MARK: - An arrow's head at the end of its way, and the way up to it

enum ArrowHead {
    private static let length = 8.0
    private static let width = 3.4

    static func split(_ points: [Point]) -> (line: [Point], head: String) {
        guard let tip = points.last else { return (points, "") }
        // The last point that is not the tip itself gives the direction.
        let before = points.dropLast().last { abs($0.x - tip.x) + abs($0.y - tip.y) > 0.5 } ?? Point(tip.x, tip.y - 1)
        let (dx, dy) = (tip.x - before.x, tip.y - before.y)
        let distance = (dx * dx + dy * dy).squareRoot()
        let (ux, uy) = (dx / distance, dy / distance)
        let foot = Point(tip.x - ux * length, tip.y - uy * length)
        let (left, right) = (Point(foot.x - uy * width, foot.y + ux * width), Point(foot.x + uy * width, foot.y - ux * width))
        var line = points
        line[line.count - 1] = Point(tip.x - ux * (length - 1), tip.y - uy * (length - 1))
        return (line, "M\(tip.drawn)L\(left.drawn)L\(right.drawn)Z")
    }
}

extension Point {
    var drawn: String { "\(x.drawn) \(y.drawn)" }
}

extension [Point] {
    /// Cubic curves; a straight vertical part is written as one line.
    var path: String {
        guard let first else { return "" }
        var (text, last, line) = ("M\(first.drawn)", first, Point?.none)
        for index in stride(from: 1, to: count - 2, by: 3) {
            let (one, two, end) = (self[index], self[index + 1], self[index + 2])
            let isStraight = abs(one.x - last.x) + abs(two.x - last.x) + abs(end.x - last.x) < 0.1
            if let pending = line, !isStraight { text += "L\(pending.drawn)" }
            line = isStraight ? end : nil
            if !isStraight { text += "C\(one.drawn) \(two.drawn) \(end.drawn)" }
            last = end
        }
        return line.map { text + "L\($0.drawn)" } ?? text
    }
}
