// How large the texts of a picture are.

enum Measure {
    static func box(_ name: String, _ inner: [Picture.Line]) -> Size {
        let width = max(TextWidth.of(name, at: PictureMetrics.nameSize), lines(inner).width)
        let height = PictureMetrics.nameLine + Double(inner.count) * PictureMetrics.labelLine
        return Size(
            max(PictureMetrics.narrowestBox, width + 2 * PictureMetrics.boxPadding.width).rounded(.up),
            height + 2 * PictureMetrics.boxPadding.height)
    }

    static func word(_ text: [Picture.Line]) -> Size {
        let size = lines(text)
        return Size(size.width + 16, size.height + 8)
    }

    static func title(_ frame: Picture.FrameKind) -> Size {
        let size = lines(frame.inner)
        return Size(
            max(TextWidth.of(frame.title, at: PictureMetrics.nameSize) * 1.1, size.width).rounded(.up),
            PictureMetrics.nameLine + size.height)
    }

    static func label(_ text: [Picture.Line]) -> Size { lines(text) }

    private static func lines(_ lines: [Picture.Line]) -> Size {
        let width =
            lines.map { TextWidth.of($0.text, at: PictureMetrics.labelSize) + ($0.isOfTimer ? PictureMetrics.clock : 0) }.max()
            ?? 0
        return Size(width.rounded(.up), Double(lines.count) * PictureMetrics.labelLine)
    }
}
