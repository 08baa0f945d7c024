// Scenarios of flow files.

import Foundation
import GameFlow
import Testing

@testable import Simulation

private let door = """
    {
      id: "door",
      context: { rings: 0 },
      events: { ring: {}, open: { payload: { by: { enum: ["host", "guest"] } } } },
      initial: "shut",
      states: {
        shut: { on: { ring: { target: "ringing", actions: { assign: { rings: "rings + 1" } } } } },
        ringing: { after: { "20s": { name: "patience", target: "shut" } }, on: { open: "ajar" } },
        ajar: {
          type: "parallel",
          states: {
            light: { initial: "on", states: { on: { after: { "1m": { name: "light", target: "off" } } }, off: {} } },
            dog: { initial: "barks", states: { barks: { on: { ring: "quiet" } }, quiet: {} } },
          },
        },
      },
    }
    """

@Suite struct `A scenario of a flow file` {
    /// Runs a scenario in a directory with these files; returns its mistakes or its mismatch, or [] if it passes.
    private func play(_ scenario: String, beside files: [String: String] = ["door.json5": door]) throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.path + "/scenario-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for (name, text) in files { try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8) }
        try scenario.write(toFile: "\(folder)/it.scenario", atomically: true, encoding: .utf8)
        do throws(ScenarioFault) {
            let report = try Scenario(path: "\(folder)/it.scenario", for: .builtIn).run()
            return report.mismatch.map { ["\($0.expected) / \($0.got)"] } ?? []
        } catch {
            return error.sentences.map { $0.replacing(folder + "/", with: "") }
        }
    }

    @Test func `A scenario may end while child sessions run`() throws {
        let nest = """
            { id: "nest", initial: "a", states: { a: { invoke: [
              { flow: "egg", id: "one" }, { flow: "egg", id: "two" }, { flow: "egg", id: "three" }] } } }
            """
        let files = ["nest.json5": nest, "egg.json5": #"{ id: "egg", initial: "a", states: { a: {} } }"#]
        for _ in 0..<20 {
            #expect(try play("flow nest.json5\nflow egg.json5\nnew x nest\nexpect x/two egg a", beside: files) != [])
            #expect(try play("flow nest.json5\nflow egg.json5\nnew x nest\nexpect x/two a", beside: files) == [])
        }
    }

    @Test func `A FORCE whose actions fail in the beginning, but not after the steps before it, is no mistake`() throws {
        let part = """
            { id: "part", context: { n: { type: "integer", minimum: 0, maximum: 2, default: 0 }, r: 0 }, initial: "idle", states: {
              idle: { on: { set: { actions: { assign: { n: "event.n" } } } } },
              busy: { entry: { assign: { r: "6 // n" } } },
              more: { entry: { assign: { n: "n + 1" } }, on: { reset: { actions: { assign: { n: 0 } } } } } } }
            """
        func play(_ steps: String) throws -> [String] {
            try self.play("flow part.json5\nnew x part\n\(steps)", beside: ["part.json5": part])
        }
        #expect(try play("send x set '{\"n\":2}'\nforce x busy\nexpect x busy r=3") == [])
        #expect(try play("force x more\nforce x more\nsend x reset\nforce x more\nexpect x more n=1") == [])
        #expect(try play("force x busy '{\"n\":1}'\nexpect x busy r=6") == [])
        #expect(try play("force x part") == [], "the whole flow")
        #expect(try play("force x bzy") == ["it.scenario:3: the flow 'part' has no state 'bzy'; available: idle, busy, more"])
        #expect(
            try play("force x busy '{\"speed\":1}'") == [
                "it.scenario:3: the flow 'part' has no variable 'speed'; available: n, r"
            ])
    }

    @Test func `A scenario names a delayed event by its name and number where another one has its name`() throws {
        let nag = #"{ id: "nag", states: { a: { on: { more: { raise: { event: "nag", delay: "1m" } }, nag: {} } } } }"#
        func play(_ steps: String) throws -> [String] {
            try self.play("flow nag.json5\nnew x nag\nsend x more\nsend x more\n\(steps)", beside: ["nag.json5": nag])
        }
        #expect(try play("expect-timers x nag nag#2\nextend x nag#2 1m\nadvance 1m\nexpect-timer x nag#2 1m") == [])
        for name in ["nag#", "nag#x", "nug#2"] {
            let found = try play("pause x \(name)")
            #expect(
                found.count == 1 && found[0].hasPrefix("it.scenario:5: the flow 'nag' has no timer '\(name)'; "), "\(found)")
        }
    }

    @Test func `The timers that are available for an unknown one are named once, of delayed events too`() throws {
        let nag = """
            {
              id: "nag",
              states: {
                a: {
                  after: { "1h": { name: "nag", target: "a" } },
                  on: {
                    more: { actions: [{ raise: { event: "nag", delay: "1m" } }, { raise: { event: "nag", delay: "2m" } }] },
                    nag: {},
                  },
                },
              },
            }
            """
        let found = try play("flow nag.json5\nnew x nag\npause x bell", beside: ["nag.json5": nag])
        #expect(found.count == 1 && found[0].hasSuffix("the flow 'nag' has no timer 'bell'; available: nag"), "\(found)")
    }

    @Test func `A scenario finds a flow file in its own directory and runs its flow`() throws {
        let failure = try play(
            """
            flow door.json5
            new d door
            expect d shut rings=0
            send d ring
            expect d ringing rings=1
            expect-data d rings 1
            expect-events d open
            expect-timer d patience 20s
            advance 20s
            expect d shut
            send d ring
            expect-error BADEVENT send d open burglar
            send d open host
            expect d ajar.light.on,ajar.dog.barks rings=2
            send d ring
            expect d ajar.light.on,ajar.dog.quiet
            """)
        #expect(failure == [])
    }

    @Test func `A scenario reports a flow file's mistakes before its own, and runs nothing`() throws {
        let broken = door.replacing("initial: \"shut\"", with: "intial: \"shut\"").replacing(
            "target: \"ringing\"", with: "target: \"rining\"")
        let mistakes = try play("new d door\nflow door.json5\nsnd d ring", beside: ["door.json5": broken])
        #expect(mistakes.count >= 3, "\(mistakes)")
        #expect(mistakes.dropLast().allSatisfy { $0.hasPrefix("door.json5:") && $0.contains(": error: ") }, "\(mistakes)")
        #expect(mistakes.last == "it.scenario:3: unknown step 'snd'; did you mean 'send'?")
        let missing = try play("flow dor.json5\nnew d door")[0]
        #expect(missing == "it.scenario:1: dor.json5: the file cannot be read: No such file or directory")
        #expect(try play("flow") == ["it.scenario:1: wrong number of words for 'flow'; the step is: flow FILE"])
    }

    @Test func `A scenario reports states, events and timers that the flow file does not define`() throws {
        #expect(
            try play(
                "flow door.json5\nnew d door\nexpect d shud\nsend d rng\nexpect-timers d patients\nexpect d ajar.light.on,nowhere"
            )
                == [
                    "it.scenario:3: the flow 'door' has no state 'shud'; did you mean 'shut'?",
                    "it.scenario:4: the flow 'door' has no event 'rng'; did you mean 'ring'?",
                    "it.scenario:5: the flow 'door' has no timer 'patients'; did you mean 'patience'?",
                    "it.scenario:6: the flow 'door' has no state 'ajar.light.on,nowhere'; available: shut, ringing, ajar.light.on, ajar.light.off, ajar.dog.barks, ajar.dog.quiet",
                ])
    }

    @Test func `The events that are available for an unknown one are those that a sender may send`() throws {
        let mistake = "it.scenario:3: the flow 'door' has no event 'knock'; available: ring, open"
        #expect(try play("flow door.json5\nnew d door\nsend d knock") == [mistake])
    }

    @Test func `An expect-emitted step sees the events emitted during the last command`() throws {
        let bell = """
            {
              id: "bell",
              initial: "rest",
              states: {
                rest: { on: { ring: { actions: [{ emit: "ding" }, { emit: { event: "dong", data: { times: 2 } } }] } } },
              },
              every: { "1s": { actions: { emit: { event: "tick", data: "'tock'" } } } },
            }
            """
        let story = "flow bell.json5\nnew b bell\nsend b ring\nexpect-emitted b ding\nexpect-emitted b dong '{\"times\":2}'\n"
        #expect(try play(story + "advance 2s\nexpect-emitted b tick tock", beside: ["bell.json5": bell]) == [])
        #expect(try play(story + "expect-emitted b tick", beside: ["bell.json5": bell]) == ["tick / ding, dong {\"times\":2}"])
        #expect(try play(story + "advance 500ms\nexpect-emitted b ding", beside: ["bell.json5": bell]) == ["ding / nothing"])
    }

    @Test func `A flow file hides a built-in flow of the same name`() throws {
        let other = #"{ id: "turns", initial: "only", states: { only: {} } }"#
        #expect(try play("flow turns.json5\nnew t turns\nexpect t only", beside: ["turns.json5": other]) == [])
        #expect(try play("new t turns\nexpect t first") == [])
    }

    @Test func `Two flow files with the same flow name are refused`() throws {
        #expect(
            try play("flow a.json5\nflow b.json5\nnew d door", beside: ["a.json5": door, "b.json5": door]) == [
                "b.json5:1:1: error: there is a flow 'door' in a.json5 already; give one of them another id"
            ])
    }
}
