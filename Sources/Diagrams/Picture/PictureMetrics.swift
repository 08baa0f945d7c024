// Sizes of type and distances, in pixels.

enum PictureMetrics {
    static let nameSize = 13.0
    static let nameLine = 18.0
    static let labelSize = 11.0
    static let labelLine = 14.0
    /// Names and lines are cut beyond so many columns.
    static let nameColumns = 32
    static let labelColumns = 44
    /// So many lines an edge has at an arrow.
    static let maxLabelLines = 6
    static let boxPadding = Size(12, 7)
    static let narrowestBox = 56.0
    static let history = 28.0
    static let dot = 9.0
    /// The room of a timer's clock before its label.
    static let clock = 13.0
    static let margin = 12.0
}
