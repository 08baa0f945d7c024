// Points and sizes, in pixels; y grows downwards.

package struct Point: Sendable, Equatable {
    package var x: Double
    package var y: Double

    package init(_ x: Double, _ y: Double) {
        self.x = x
        self.y = y
    }

    func moved(by offset: Point) -> Point { Point(x + offset.x, y + offset.y) }
}

package struct Size: Sendable, Equatable {
    package var width: Double
    package var height: Double

    package static let zero = Size(0, 0)

    package init(_ width: Double, _ height: Double) {
        self.width = width
        self.height = height
    }
}

package struct Rectangle: Sendable, Equatable {
    package var origin: Point
    package var size: Size

    package init(_ origin: Point, _ size: Size) {
        self.origin = origin
        self.size = size
    }

    package var left: Double { origin.x }
    package var right: Double { origin.x + size.width }
    package var top: Double { origin.y }
    package var bottom: Double { origin.y + size.height }
    package var middle: Point { Point(origin.x + size.width / 2, origin.y + size.height / 2) }

    func moved(by offset: Point) -> Rectangle { Rectangle(origin.moved(by: offset), size) }
}
