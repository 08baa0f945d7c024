// The manual as `man` reads it.

import Foundation
import TestSupport
import Testing

@Suite struct `The manual's pages` {
    @Test(arguments: [("gamed", "--listen HOST:PORT"), ("gamed-commands", "SEND session event [payload]")])
    func `are roff without a fault`(page: String, phrase: String) throws {
        let daemon = try RunningDaemon(["--manual", page])
        var text = ""
        while let line = daemon.readLine() { text += line + "\n" }
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
