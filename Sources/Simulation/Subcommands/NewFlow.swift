// The flow that people start from: two states and an end, a timer, a guard and something to remember.

import Client
import GameFlow
import Posix
import Texts

struct NewFlow {
    let name: String
    /// Nil for the current one.
    let folder: String?

    var path: String { place(name + ".json5") }
    var scenarioPath: String { place(name + ".scenario") }

    private func place(_ file: String) -> String {
        guard let folder, !folder.isEmpty else { return file }
        return folder.hasSuffix("/") ? folder + file : "\(folder)/\(file)"
    }

    var text: String {
        """
        // A lamp that goes out by itself, until it is worn out.
        {
          id: "\(name)",
          // The variables of a session. NEW may give other values: NEW room \(name) {"context": {"bright": 1}}
          context: { bright: 3, lit: 0 },
          // The events that it accepts.
          events: { press: { label: "Press the button" } },
          initial: "off",
          states: {
            off: {
              view: { title: "Dark", text: "It was lit {{ lit }} times." },
              on: {
                press: [
                  // The first transition whose guard is true is taken. Guards and assignments are expressions in Lua.
                  { guard: "lit < bright", target: "on", actions: { assign: { lit: "lit + 1" } } },
                  { target: "broken" },
                ],
              },
            },
            on: {
              view: { title: "Bright" },
              // The timer starts with the state, and ends with it.
              after: { "10s": { name: "glow", target: "off" } },
              on: { press: "off" },
            },
            broken: { type: "final" },
          },
        }

        """
    }

    var scenario: String {
        """
        # The lamp goes out after ten seconds, and is worn out after three times.
        flow \(name).json5
        new lamp \(name)
        expect lamp off lit=0
        send lamp press
        expect lamp on lit=1
        expect-timer lamp glow 10s
        advance 9.999s
        expect lamp on
        advance 1ms
        expect lamp off
        send lamp press
        send lamp press
        expect lamp off lit=2
        send lamp press
        advance 10s
        send lamp press
        expect lamp broken
        expect-final lamp yes
        expect-error NOTRANSITION send lamp press

        # One that is lit only once.
        new match \(name) '{"context":{"bright":1}}'
        send match press
        send match press
        send match press
        expect match broken lit=1

        """
    }
}

// MARK: - `new-flow`: a small flow file to start from, with its scenario.

extension Subcommand {
    static func newFlow(besides flows: RehearsedFlows) -> Subcommand {
        Subcommand(
            .offline, syntax: "new-flow NAME [DIR]", summary: "Writes a small flow file and its scenario, to start from.",
            details: """
                The files are NAME.json5 and NAME.scenario, in the current directory or in DIR. Neither may exist already. \
                NAME has 1 to \(NewFlow.maxNameLength) letters, digits, - and _, and begins with a letter. It is not the name \
                of a flow in the program itself, such as game.
                """,
            examples: ["gamectl new-flow lamp", "gamectl new-flow lamp flows"], words: 1...2
        ) { context, call throws(ControlError) in
            let flow = try NewFlow(named: call.words[0], in: call.words.count > 1 ? call.words[1] : nil)
            guard !flows.makeIdle().contains(where: { $0.name == flow.name }) else {
                throw .usage("there is a flow '\(flow.name)' in the program itself; give this one another name")
            }
            try context.begin(flow)
            return .accepted
        }
    }
}

extension NewFlow {
    fileprivate static let maxNameLength = 64

    fileprivate init(named name: String, in folder: String?) throws(ControlError) {
        let isLetter = { (byte: UInt8) in (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }
        guard let first = name.utf8.first, isLetter(first), name.utf8.count <= Self.maxNameLength,
            name.utf8.allSatisfy({ isLetter($0) || "0123456789-_".utf8.contains($0) })
        else {
            throw .usage(
                "'\(name.shortened)' is not a name for a flow: it has 1 to \(Self.maxNameLength) letters, digits, - and _, and begins with a letter"
            )
        }
        self.init(name: name, folder: folder)
    }
}

extension CommandContext {
    fileprivate func begin(_ flow: NewFlow) throws(ControlError) {
        // Writes no file if one of the two exists already.
        for path in [flow.path, flow.scenarioPath] where NewFile.exists(path) {
            throw .file(FileError("write", path, reason: "it already exists"))
        }
        do throws(FileError) {
            try NewFile.write(flow.text, to: flow.path)
            try NewFile.write(flow.scenario, to: flow.scenarioPath)
        } catch {
            throw .file(error)
        }
        let program = subcommands.program
        try output.write(
            json: ["flow": .string(flow.path), "scenario": .string(flow.scenarioPath)],
            lines: [
                "\(flow.path) and \(flow.scenarioPath) are written. Next:", "  \(program) check \(flow.path.shellWord)",
                "  \(program) test \(flow.scenarioPath.shellWord)",
                "  \(daemon.program) --flows \((flow.folder ?? ".").shellWord)\(place.ofDaemon)",
                "and in another terminal:", "  gamectl\(place.ofClient) new room \(flow.name)",
                "  gamectl\(place.ofClient) send room press",
            ].map(\.printable))
    }

    /// The options with which the daemon listens where this program was told to ask, and those with which gamectl asks there.
    private var place: (ofDaemon: String, ofClient: String) {
        switch daemon.address {
        case .socket(DefaultPaths.socket): ("", "")
        case .socket(let path): (" --socket \(path.shellWord)", " --socket \(path.shellWord)")
        case .tcp(let server): (" --listen \(server)", " --connect \(server)")
        }
    }
}
