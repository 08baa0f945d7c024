// The page's files by name, as they are compiled in from the folder Page.

enum PageFiles {
    static let all: [String: [UInt8]] = [
        "index.html": PackageResources.index_html
    ]
}
