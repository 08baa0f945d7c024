// The report that gamectl test prints.

import Foundation
import TestSupport
import Testing

@Suite final class `gamectl test` {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "scenarios-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Writes a scenario and returns its path.
    private func write(_ name: String, _ text: String) throws -> String {
        let file = folder.appending(path: name)
        try text.write(to: file, atomically: true, encoding: .utf8)
        return file.path
    }

    @Test func `gamectl test refuses a flow file and names the command that reads it`() throws {
        let flow = try write("safe.json5", "{}")
        let result = try Program(gamectlPath, ["test", flow])
        #expect(result.status == 65)
        #expect(result.errors == "\(flow): it is a flow file; gamectl check reads it, and gamectl test reads scenarios\n")
    }

    @Test func `A failed scenario exits with status 1, an invalid one with 65 after the others ran, a missing one with 74`()
        throws
    {
        let good = try write("good.scenario", "new a turns\nadvance 30s\nexpect a second\n")
        let bad = try write("bad.scenario", "new a turns\nexpect a second\n")
        let broken = try write("broken.scenario", "nwe a turns\nexpect a\nnew b gmae\n")

        let failed = try Program(gamectlPath, ["test", good, bad])
        #expect(failed.status == 1)
        #expect(
            failed.output.contains(
                "ok 1 - \(good) (3 steps, 30s)\nnot ok 2 - \(bad) (2 steps, 0s)\n  ---\n  at: \"\(bad):2\"\n"))

        #expect(failed.errors == "\(bad):2: expect a second: expected second, got first\n")

        #expect(try Program(gamectlPath, ["test", broken, good, bad]).status == 65)
        let unread = try Program(gamectlPath, ["test", broken, "/nowhere.scenario", good, bad])
        #expect(unread.status == 74)
        #expect(unread.output.hasPrefix("TAP version 13\n1..4\nnot ok 1 - \(broken) (3 mistakes, nothing was run)\n"))
        #expect(unread.output.contains("\n  ...\nok 3 - \(good) (3 steps, 30s)\nnot ok 4 - \(bad) (2 steps, 0s)\n"))
        #expect(
            unread.errors == """
                \(broken):1: unknown step 'nwe'; did you mean 'new'?
                \(broken):2: wrong number of words for 'expect'; the step is: expect SESSION STATE [PATH=VALUE …]
                \(broken):3: there is no flow 'gmae'; did you mean 'game'?
                /nowhere.scenario: there is no such file
                \(bad):2: expect a second: expected second, got first

                """)

        let json = try Program(gamectlPath, ["test", "--json", good, bad])
        #expect(json.status == 1)
        #expect(json.output.hasPrefix(#"{"file":"\#(good)","ok":true,"steps":3,"time_ms":30000}"# + "\n"))
        #expect(
            try Program(gamectlPath, ["test", "--json", broken]).output.hasPrefix(
                #"{"file":"\#(broken)","ok":false,"mistakes":["\#(broken):1: unknown step"#))
        #expect(try Program(gamectlPath, ["test", "--verbose", good]).output.contains("# \(good):2  advance 30s      -> 1\n"))
    }

    @Test func `The report of gamectl test is valid for prove if scenarios pass, fail or are invalid`() throws {
        let good = try write("good.scenario", "new a turns\nadvance 30s\nexpect a second\n")
        let bad = try write("bad # 1.scenario", "new a turns\nsend a pass\nexpect a 'the \"first\"'\n")
        let broken = try write("broken.scenario", "nwe a turns '\"\nsend b \"pass\n")
        let folder = packageRoot.appending(path: "Examples/Scenarios").path
        let prove = { (files: [String]) in try Program("/usr/bin/prove", ["-v", "-e", gamectlPath + " test"] + files) }
        let all = try prove([good, folder + "/game.scenario", folder + "/turns.scenario"])
        #expect(all.status == 0, "\(all.output)\(all.errors)")
        #expect(all.output.contains("All tests successful."))
        for file in [bad, broken] {
            let failed = try prove([good, file])
            #expect(failed.status == 1)
            #expect(failed.output.contains("Failed test:  1") && !failed.output.contains("Parse errors"), "\(failed.output)")
            #expect(failed.errors.hasPrefix(file + ":"), "\(failed.errors)")
        }
    }

    @Test func `The report of gamectl test contains no output of flows and their hooks`() throws {
        let noise = try write("noise.scenario", "new a printingFlow\nsend a shout\nadvance 1s\nexpect a heard\n")
        let probe = productsDirectory.appending(path: "trap-probe").path
        let result = try Program(probe, ["test", noise, noise])
        #expect(result.output == "TAP version 13\n1..2\nok 1 - \(noise) (4 steps, 1s)\nok 2 - \(noise) (4 steps, 1s)\n")
        #expect(result.errors.split(separator: "\n").count { $0 == "ok 7 - a hook" } == 4)
        #expect(result.errors.split(separator: "\n").count { $0 == "ok 8 - some work" } == 2)
        #expect(result.status == 0)
    }
}
