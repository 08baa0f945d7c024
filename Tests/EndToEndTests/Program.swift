// Programs run by a test, to their end.

import Foundation
import TestSupport
import Testing

struct Program {
    let output: String
    let errors: String
    /// Negative if a signal has ended it.
    let status: Int32

    /// Runs it with this on its standard input; its output is read, or redirected.
    init(
        _ path: String, _ arguments: [String], input: String = "", into place: FileHandle? = nil,
        environment: [String: String] = [:]
    ) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let standardOutput = Pipe()
        // One pipe, and files for the rest: reading one pipe to its end could deadlock with another that fills up.
        let folder = FileManager.default.temporaryDirectory.appending(path: "program-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (inputFile, errorsFile) = (folder.appending(path: "input"), folder.appending(path: "errors"))
        try Data(input.utf8).write(to: inputFile)
        try Data().write(to: errorsFile)
        process.standardInput = try FileHandle(forReadingFrom: inputFile)
        process.standardOutput = place ?? standardOutput
        process.standardError = try FileHandle(forWritingTo: errorsFile)
        try process.run()
        output = place == nil ? String(decoding: standardOutput.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) : ""
        process.waitUntilExit()
        errors = try String(contentsOf: errorsFile, encoding: .utf8)
        status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }
}

extension RunningDaemon {
    /// Runs gamectl against this daemon.
    func gamectl(_ arguments: String..., input: String = "") throws -> Program {
        try Program(gamectlPath, arguments, input: input, environment: ["GAMED_SOCKET": socketPath])
    }
}

let gamectlPath = productsDirectory.appending(path: "gamectl").path
let gamedPath = productsDirectory.appending(path: "gamed").path
