// How large the texts of a picture are.

enum Measure {
    static func box(_ name: String, _ inner: [Picture.Line]) -> Size {
        let width = max(TextWidth.of(name, at: Look.nameSize), lines(inner).width)
        let height = Look.nameLine + Double(inner.count) * Look.labelLine
        return Size(
            max(Look.narrowestBox, width + 2 * Look.boxPadding.width).rounded(.up), height + 2 * Look.boxPadding.height)
    }

    static func word(_ text: [Picture.Line]) -> Size {
        let size = lines(text)
        return Size(size.width + 16, size.height + 8)
    }

    static func title(_ frame: Picture.FrameKind) -> Size {
        let size = lines(frame.inner)
        return Size(
            max(TextWidth.of(frame.title, at: Look.nameSize) * 1.1, size.width).rounded(.up), Look.nameLine + size.height)
    }

    static func label(_ text: [Picture.Line]) -> Size { lines(text) }

    private static func lines(_ lines: [Picture.Line]) -> Size {
        let width = lines.map { TextWidth.of($0.text, at: Look.labelSize) + ($0.isOfTimer ? Look.clock : 0) }.max() ?? 0
        return Size(width.rounded(.up), Double(lines.count) * Look.labelLine)
    }
}
