// The manual's pages as groff renders them.

import Foundation
import TestSupport
import Testing

@Suite struct `The manual's pages` {
    @Test(arguments: [
        (["gamed", "--manual", "gamed"], "--listen HOST:PORT"),
        (["gamed", "--manual", "gamed-commands"], "SEND session event [payload]"),
        (["gamed", "--manual", "gamed-flow"], "One of: shallow, deep."),
        (["gamectl", "manual"], "send session event [payload]"),
        (["gamectl", "manual"], "\n             flow FILE                                 A flow file"),
    ])
    func `The manual's pages are valid roff`(command: [String], phrase: String) throws {
        let text = try Program(productsDirectory.appending(path: command[0]).path, Array(command.dropFirst())).output
        let page = try Program("groff", ["-man", "-ww", "-Tutf8", "-P-cbou"], input: text)
        try #require(page.status == 0, "groff comes with Debian's groff-base: \(page.errors)")
        #expect(page.errors == "")
        #expect(page.output.contains(phrase))
    }

    @Test(arguments: [["gamed", "--manual", "gamed"], ["gamed", "--manual", "gamed.json5"], ["gamectl", "manual"]])
    func `The manual's pages do not have the paths of the user who makes them`(command: [String]) throws {
        let paths = ["RUNTIME_DIRECTORY": "/builder/run", "STATE_DIRECTORY": "/builder/state"]
        let program = productsDirectory.appending(path: command[0]).path
        let text = try Program(program, Array(command.dropFirst()), environment: paths).output
        #expect(!text.isEmpty && !text.contains("/builder"))
        #expect(command[0] == "gamectl" || text.contains("/var/lib/gamed"))
    }
}
