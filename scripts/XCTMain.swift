// Runs the tests of a debug build without an index. `scripts/swift` lends it to a package: SwiftPM knows it by its name, and then does not look for
// tests of XCTest, for which it would read the index.

import Testing

@main
struct TestRunner {
    static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
