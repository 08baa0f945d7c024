// Scripts that try a gamed of their own, from outside.

import Foundation
import TestSupport
import Testing

/// What such a script says until its end, and its exit status. No thread is held meanwhile.
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
