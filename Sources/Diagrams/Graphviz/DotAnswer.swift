// What `dot -Tjson0` answers, read as a layout. Only numbers are taken from it, and it must have a place for everything.

import JSON

extension Layout {
    /// Nil if the answer is no layout of this problem.
    package init?(dotAnswer text: String, to problem: LayoutProblem) {
        guard let json = try? JSON(parsing: text), let answer = DotAnswer(json) else { return nil }
        let boxes = problem.boxes.indices.compactMap { answer.box($0, problem.boxes[$0].size) }
        let routes = problem.links.indices.compactMap { answer.route($0, problem.links[$0]) }
        guard boxes.count == problem.boxes.count, routes.count == problem.links.count
        else {
            return nil
        }
        let size = Size(answer.size.width + 2 * Look.margin, answer.size.height + 2 * Look.margin)
        self.init(size: size, boxes: boxes, frames: [Rectangle(Point(0, 0), size)], routes: routes)
    }
}

private struct DotAnswer {
    let size: Size
    private var objects: [String: JSON] = [:]
    private var edges: [String: JSON] = [:]

    init?(_ json: JSON) {
        guard let box = Self.numbers(json["bb"]), box.count == 4 else { return nil }
        size = Size(box[2], box[3])
        for object in Self.list(json["objects"]) { if let name = object["name"]?.text { objects[name] = object } }
        for edge in Self.list(json["edges"]) { if let id = edge["id"]?.text { edges[id] = edge } }
    }

    func box(_ number: Int, _ size: Size) -> Rectangle? {
        guard let middle = Self.numbers(objects["n\(number)"]?["pos"]), middle.count == 2 else { return nil }
        let place = self.place(middle[0], middle[1])
        return Rectangle(Point(place.x - size.width / 2, place.y - size.height / 2), size)
    }

    func route(_ number: Int, _ link: LayoutProblem.Link) -> Layout.Route? {
        guard let edge = edges["e\(number)"], let way = edge["pos"]?.text else { return nil }
        let pairs =
            way.split(separator: ";").first?.split(separator: " ").compactMap { Self.numbers(.string(String($0))) } ?? []
        let points = pairs.filter { $0.count == 2 }.map { place($0[0], $0[1]) }
        guard points.count == pairs.count, points.count > 3, points.count % 3 == 1 else { return nil }
        guard link.hasLabel else { return Layout.Route(points: points, label: nil) }
        guard let middle = Self.numbers(edge["lp"]), middle.count == 2 else { return nil }
        let label = place(middle[0], middle[1])
        return Layout.Route(points: points, label: Point(label.x - link.label.width / 2, label.y - link.label.height / 2))
    }

    /// Its y grows upwards.
    private func place(_ x: Double, _ y: Double) -> Point { Point(Look.margin + x, Look.margin + size.height - y) }

    private static func list(_ json: JSON?) -> [JSON] {
        guard case .array(let list) = json else { return [] }
        return list
    }

    /// Numbers with commas between; nil if they are none that anybody can draw.
    private static func numbers(_ json: JSON?) -> [Double]? {
        guard let text = json?.text else { return nil }
        let words = text.split(separator: ",")
        let numbers = words.compactMap { Double($0) }.filter { abs($0) < 1e6 }
        return numbers.count == words.count ? numbers : nil
    }
}
