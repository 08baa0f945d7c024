// Runs of whole scenarios: their end, independence and speed, and their reports.

import Foundation
import GameFlow
import TestSupport
import Testing
@testable import Simulation

@Suite struct `A scenario` {
    @Test func `A scenario ends at the first step that fails`() throws {
        let report = try play("new a turns\nadvance 30s\nexpect a first\nexpect b first\nnew c turns")
        #expect(report.steps.map(\.line) == [1, 2, 3])
        #expect(report.mismatch == Mismatch(expected: "first", got: "second"))
        #expect(report.length == .seconds(30))
    }

    @Test func `A command that is refused in a transaction fails the scenario`() throws {
        let mismatch = try mismatch("new a turns\nmulti\nsend a pass\nsend a pass IF 0\nexec")
        #expect(mismatch?.hasPrefix("no error / STALE 'a' is at version 1") ?? false, "\(mismatch ?? "")")
        #expect(try play("new a turns\nmulti\nsend a pass\nsend a pass IF 1\nexec").isGood)
    }

    @Test func `A scenario is independent of an earlier one`() throws {
        for _ in 0..<3 { #expect(try play("new a turns\nexpect-reply 30000 extend a turn 0s").isGood) }
    }

    @Test func `A scenario may subscribe, and a pushed message does not count as a reply`() throws {
        #expect(try play("new a turns\npsubscribe session:*\nexpect-reply second send a pass").isGood)
    }

    @Test func `A scenario knows each event that the last command emitted, of many with different data the latest 1,000`() {
        let diary = EmissionDiary()
        diary.record(Emission(event: "gong", data: 1), of: "a")
        for n in 1...150_000 { diary.record(Emission(event: "tick", data: .integer(n)), of: "a") }
        diary.record(Emission(event: "tick", data: 149_001), of: "a")
        diary.record(Emission(event: "tick"), of: "b")
        let found = diary.emissions(of: "a")
        #expect(found.first?.event == "gong" && found.count == 1_001)
        #expect(found.suffix(2).map(\.data) == [150_000, 149_001])
        #expect(diary.emissions(of: "b").count == 1 && diary.emissions(of: "c").isEmpty)
        let mismatch = ExpectedEmission(event: "bell", data: nil).mismatch(with: Array(found.dropLast(988)))
        #expect(mismatch?.expected == "bell")
        #expect(mismatch?.got.hasPrefix("3 others, tick 149004, tick 149005, ") == true, "\(mismatch?.got ?? "")")
        let shorter = ExpectedEmission(event: "bell", data: nil).mismatch(with: Array(found.dropLast(990)))
        #expect(shorter?.got.hasPrefix("1 other, tick 149002, ") == true, "\(shorter?.got ?? "")")
        diary.clear()
        #expect(diary.emissions(of: "a").isEmpty)
    }

    @Test func `A scenario of the startup flow runs with stand-ins, with the same result each time`() throws {
        for _ in 0..<20 {
            let report = try play(
                """
                startup saved ann
                new app startup
                send app didLaunch
                expect app ready userID=ann
                """)
            #expect(report.mismatch == nil)
        }
    }

    @Test func `The startup stand-in remembers a logged-in user for the next start`() throws {
        let report = try play(
            """
            new app startup
            send app didLaunch
            send app loginRequested
            expect app ready userID=guest
            restart app
            send app didLaunch
            expect app ready userID=guest
            """)
        #expect(report.mismatch == nil)
    }

    @Test func `A silent stand-in lets the startup flow's timeout fire`() throws {
        let report = try play(
            """
            startup silent
            new app startup
            send app didLaunch
            advance 4.999s
            expect app hydrating
            advance 1ms
            expect app error
            new other startup
            send other didLaunch
            """)
        #expect(report.mismatch == nil)
    }

    @Test func `A scenario drives the devices of a device file, and reports a missing file`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "scene-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(Self.button.utf8).write(to: folder.appending(path: "button.json"))
        let report = try play(
            """
            devices button.json
            new hall turns
            expect-reply 1 bluetooth notify button
            expect hall second
            expect-reply 0 bluetooth notify button 0x0010 00
            expect hall second
            """, path: folder.appending(path: "it.scenario").path)
        #expect(report.mismatch == nil)
        #expect(report.steps.count == 6)
        let missing = try #require(try mismatch("devices /nowhere/room.json"))
        #expect(missing.hasPrefix("devices / BADDEVICES "))
        #expect(missing.contains("/nowhere/room.json") && missing.contains("No such file or directory"))
    }

    private static let button = """
        {"devices": [{
            "name": "button", "address": "C0:FF:EE:00:00:01", "kind": "button", "connected": true,
            "values": {"pressed": "01"},
            "events": [{"on": "notification", "attribute": 16, "value": "pressed", "session": "hall", "event": "pass"}]
        }]}
        """

    @Test func `A scenario of a thousand steps over a week takes less than a second`() throws {
        var text = "new a turns\nnew b game\n"
        for _ in 0..<333 { text += "advance 30m\nsend a pass\nexpect-timer a turn 30s\n" }
        text += "expect-reply 84 advance 42m"
        var played: ScenarioReport?
        let took = try processorTime { played = try play(text) }
        let report = try #require(played)
        #expect(report.mismatch == nil)
        #expect(report.steps.count == 1_002)
        #expect(report.length > .seconds(6.9 * 86_400))
        #expect(took < .seconds(1), "it took \(took)")
    }
}

@Suite struct `A report in TAP` {
    @Test func `A report in TAP has one line for a scenario that passed`() throws {
        let report = try play("new a turns\nadvance 90s", path: "stories/#1.scenario")
        #expect(TestProtocol.head(count: 2) == "TAP version 13\n1..2")
        #expect(TestProtocol.point(2, report) == "ok 2 - stories/\\#1.scenario (2 steps, 1m30s)")
    }

    @Test func `A report in TAP lists the steps up to a failure`() throws {
        let report = try play("new a turns   # begin\nadvance 30s\nexpect a \"fir st\"\nexpect a second")
        #expect(
            TestProtocol.point(1, report) == """
                not ok 1 - it.scenario (3 steps, 30s)
                  ---
                  at: "it.scenario:3"
                  step: "expect a \\"fir st\\""
                  expected: "fir st"
                  got: "second"
                  time: "30s"
                  steps:
                    - "it.scenario:1  new a turns        -> first"
                    - "it.scenario:2  advance 30s        -> 1"
                    - "it.scenario:3  expect a \\"fir st\\"  FAILED"
                  ...
                """)
    }

    @Test func `A report in TAP lists each mistake of a file that is not a scenario`() throws {
        let fault = #expect(throws: ScenarioFault.self) { try Scenario(parsing: "snd\nnew", path: "it.scenario") }
        #expect(
            TestProtocol.point(3, try #require(fault)) == """
                not ok 3 - it.scenario (2 mistakes, nothing was run)
                  ---
                  mistakes: |
                    it.scenario:1: unknown step 'snd'; did you mean 'send'?
                    it.scenario:2: wrong number of arguments for 'NEW'; usage: NEW session flow [json]
                  ...
                """)
    }

    @Test func `A verbose report in TAP lists every step`() throws {
        let report = try play("new a turns\nexpect a first")
        #expect(
            TestProtocol.point(1, report, verbose: true) == """
                # it.scenario:1  new a turns     -> first
                # it.scenario:2  expect a first
                ok 1 - it.scenario (2 steps, 0s)
                """)
    }

    @Test func `A report in JSON is an object`() throws {
        #expect(
            TestProtocol.json(try play("new a turns\nexpect a second")).description
                == #"{"file":"it.scenario","ok":false,"steps":2,"time_ms":0,"line":2,"step":"expect a second","expected":"second","got":"first"}"#
        )
    }
}

@Suite struct `The scenarios that come with gamed` {
    static let folder = packageRoot.appending(path: "Examples/Scenarios")

    private static let flows = ["game", "startup", "registration", "onboarding", "permissions", "turns"]

    @Test func `Each scenario that comes with gamed is one of a built-in flow`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter { $0.hasSuffix(".scenario") }
        #expect(files.sorted() == Self.flows.map { $0 + ".scenario" }.sorted())
    }

    @Test(arguments: flows)
    func `Each built-in flow's scenario passes, and covers errors and timer commands`(flow: String) throws {
        let report = try Scenario(path: Self.folder.appending(path: "\(flow).scenario").path).run()
        #expect(report.mismatch == nil, "\(TestProtocol.point(1, report))")
        #expect(report.steps.contains { $0.text.hasPrefix("new ") && $0.text.hasSuffix(" " + flow) })
        #expect(report.steps.contains { $0.text.hasPrefix("expect-error") })
        #expect(report.steps.contains { $0.text.hasPrefix("pause ") || $0.text.hasPrefix("extend ") })
    }
}
