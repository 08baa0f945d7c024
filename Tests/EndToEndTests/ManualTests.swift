// The manual as `man` reads it.

import Foundation
import TestSupport
import Testing

@Suite struct `The manual's pages` {
    @Test(arguments: [
        (["gamed", "--manual", "gamed"], "--listen HOST:PORT"),
        (["gamed", "--manual", "gamed-commands"], "SEND session event [payload]"),
        (["gamed", "--manual", "gamed-flow"], "One of: shallow, deep."),
        (["gamectl", "manual"], "send session event [payload]"),
    ])
    func `The manual's pages are roff without a fault`(command: [String], phrase: String) throws {
        let text = try Program(productsDirectory.appending(path: command[0]).path, Array(command.dropFirst())).output
        let (process, input, output, errors) = (Process(), Pipe(), Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["groff", "-man", "-ww", "-Tutf8", "-P-cbou"]
        (process.standardInput, process.standardOutput, process.standardError) = (input, output, errors)
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        try input.fileHandleForWriting.close()
        let printed = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let complaints = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "groff comes with Debian's groff-base: \(complaints)")
        #expect(complaints == "")
        #expect(printed.contains(phrase))
    }
}
