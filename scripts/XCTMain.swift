// The entry point of tests that are built without an index. `scripts/swift` links it into a package for the time of the build. SwiftPM finds it by its
// name, and then does not search the index for tests of XCTest.

import Testing

@main
struct TestRunner {
    static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
