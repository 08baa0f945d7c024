// Runs Python scripts that test a gamed from outside.

import Foundation
import TestSupport
import Testing

/// Runs a script; returns its output and its exit status. Does not block a thread.
func python(_ script: String, _ words: [String] = []) async throws -> (output: String, status: Int32) {
    let python = packageRoot.appending(path: ".build/clients/bin/python").path
    try #require(FileManager.default.isExecutableFile(atPath: python), "make deps-test installs it")
    let (process, folder) = (Process(), try Folder())
    let place = URL(fileURLWithPath: folder.path + "/output")
    try Data().write(to: place)
    let output = try FileHandle(forWritingTo: place)
    process.executableURL = URL(fileURLWithPath: python)
    process.arguments = [packageRoot.appending(path: script).path, productsDirectory.appending(path: "gamed").path] + words
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
