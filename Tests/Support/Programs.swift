// Programs that tests start: where those of this build are, and what others print.

import Foundation

/// Where this build put its programs.
package let productsDirectory: URL = {
    let ownProgram = URL(fileURLWithPath: CommandLine.arguments[0])
    let candidates = [ownProgram.deletingLastPathComponent(), Bundle.main.bundleURL, URL(fileURLWithPath: ".build/debug")]
    let hasPrograms = { (folder: URL) in
        ["gamed", "store-probe"].contains { FileManager.default.isExecutableFile(atPath: folder.appending(path: $0).path) }
    }
    return candidates.first(where: hasPrograms) ?? candidates[2]
}()

/// Whether `make sanitize` runs the tests: then memory is the sanitizer's too, and its size tells nothing of ours.
package let isSanitized = ProcessInfo.processInfo.environment["ASAN_OPTIONS"] != nil

/// The package's root.
package let packageRoot = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

/// What a program prints, errors included, and its exit status, or the signal below zero.
package func run(_ program: String, _ arguments: [String], input: String = "") throws -> (output: String, status: Int32) {
    let (process, output, standardInput) = (Process(), Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.standardOutput = output
    process.standardError = output
    process.standardInput = standardInput
    try process.run()
    try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try standardInput.fileHandleForWriting.close()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (text, process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus)
}

/// Whether this becomes true within some seconds: the machine may be busy.
package func eventually(_ limit: Double = 20, _ isTrue: () throws -> Bool) rethrows -> Bool {
    let end = Date(timeIntervalSinceNow: limit)
    while Date() < end {
        if try isTrue() { return true }
        usleep(3_000)
    }
    return try isTrue()
}
