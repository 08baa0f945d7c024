// The page's server as browsers, proxies and strangers meet it: Tests/Web, in Python, tries it from outside.

import Foundation
import TestSupport
import Testing

@Suite struct `The page's server, tried from outside` {
    /// They run beside each other: most of them wait most of the time, some for the half minute after which a slow client is cut off.
    @Test(arguments: [
        "api", "conformance", "crowd", "durability", "hostile", "playing", "reload", "safety", "sandbox", "starting", "stream",
        "wire",
    ])
    func `keeps its promises`(script: String) async throws {
        let python = packageRoot.appending(path: ".build/clients/bin/python").path
        try #require(FileManager.default.isExecutableFile(atPath: python), "make deps-test installs it")
        let place = packageRoot.appending(path: "Tests/Web/\(script).py").path
        let (output, status) = try await outcome(python, [place, productsDirectory.appending(path: "gamed").path])
        #expect(status == 0, "\(output)")
    }

    /// What a program says until its end, and its exit status. No thread is held meanwhile.
    private func outcome(_ program: String, _ arguments: [String]) async throws -> (output: String, status: Int32) {
        let (process, folder) = (Process(), try Folder())
        let place = URL(fileURLWithPath: folder.path + "/output")
        try Data().write(to: place)
        let output = try FileHandle(forWritingTo: place)
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do {
                try process.run()
            } catch {
                continuation.resume(throwing: error)
            }
        }
        let status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
        return (try String(contentsOf: place, encoding: .utf8), status)
    }
}
