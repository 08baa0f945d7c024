// Requests by the daemon's own description of its commands: a new command is tried without a change here.

import GameFlow
import RESP
@testable import Commands
@testable import GameDaemon
@testable import SQLiteStore

/// A command with its arguments taken apart.
struct Phrase {
    let name: String
    let arguments: [CommandArgument]

    static let all: [Phrase] = CommandTable.all.commands.map { command in
        // Each of several forms is as likely as another command.
        Phrase(name: command.name, arguments: command.arguments)
    }

    /// The common commands of sessions, chosen most of the time.
    static let usual: [Phrase] = [
        ("NEW", 3), ("SEND", 14), ("FORCE", 6), ("ADVANCE", 6), ("EXTEND", 4), ("PAUSE", 3), ("RESUME", 4), ("DROP", 2),
        ("UNDROP", 2), ("RESTART", 1),
        ("BLUETOOTH", 2),
        ("SUBSCRIBE", 1), ("PSUBSCRIBE", 1), ("HISTORY", 1), ("STATE", 1), ("VIEW", 1), ("TIMERS", 1), ("EVENTS", 1),
    ].flatMap { name, weight in Array(repeating: all.filter { $0.name == name }, count: weight).joined() }
}

extension Choices {
    /// Mostly about one of these sessions.
    mutating func request(_ roles: [Role]) -> Step.Request {
        let phrase = happens(215) ? one(of: Phrase.usual) : one(of: Phrase.all)
        var wording = Wording(role: happens(240) ? one(of: roles) : one(of: Role.all), of: phrase.name)
        var words = [Array(phrase.name.utf8)]
        for argument in phrase.arguments { words += wording.words(for: argument, &self) }
        return Step.Request(words: scrambled(words), isInline: happens(60) && !words.contains { $0.count > 5_000 })
    }

    /// Rarely adds, removes or changes a word.
    private mutating func scrambled(_ words: [[UInt8]]) -> [[UInt8]] {
        guard happens(10) else { return words }
        var words = words
        let place = number(below: words.count)
        switch number(below: 4) {
        case 0: words.remove(at: place)
        case 1: words.insert(text(), at: place)
        case 2: words[place] = text()
        default: words[place] = words[place].map { (65...90).contains($0) ? $0 + 32 : $0 }
        }
        return words
    }
}

/// Puts a word in the place of each of a command's arguments; all of them are about one session.
private struct Wording {
    let role: Role
    private var event: AcceptedEvent?
    private var shape: StateShape?
    /// How often optional data is sent, of 256 times: a session mostly starts in its flow's initial state.
    private let usualness: Int

    init(role: Role, of command: String) {
        self.role = role
        usualness = command == "NEW" ? 80 : 200
    }

    mutating func words(for argument: CommandArgument, _ choices: inout Choices) -> [[UInt8]] {
        if argument.isOptional, !choices.happens(likelihood(argument)) { return [] }
        var words: [[UInt8]] = []
        repeat { words += once(argument, &choices) } while argument.isRepeated && choices.happens(100) && words.count < 12
        return words
    }

    /// Of 256.
    private func likelihood(_ argument: CommandArgument) -> Int {
        switch argument.name {
        case "payload", "json": usualness
        case "id": 190
        default: 110
        }
    }

    private mutating func once(_ argument: CommandArgument, _ choices: inout Choices) -> [[UInt8]] {
        let token = argument.token.map { [Array($0.utf8)] } ?? []
        switch argument.kind {
        case .word: return token.isEmpty ? [Array(argument.name.utf8)] : token
        case .value: return value(argument.name, &choices).map { token + [$0] } ?? []
        case .oneOf(let ways): return words(for: choices.one(of: ways), &choices)
        case .block(let parts): return parts.reduce(token) { $0 + words(for: $1, &choices) }
        }
    }

    /// Returns nil to leave the argument out.
    private mutating func value(_ name: String, _ choices: inout Choices) -> [UInt8]? {
        if choices.happens(6) { return choices.text() }
        switch name {
        case "session": return role.name
        case "session:NAME": return Array("session:".utf8) + role.name
        case "session:{NAME}": return Array("session:{".utf8) + role.name + Array("}".utf8)
        case "view:NAME": return Array("view:".utf8) + role.name
        case "view:GLOB": return Array(choices.one(of: ["view:*", "view:?", "view:[a-h]*", "view:m*"]).utf8)
        case "session:GLOB", "glob", "pattern":
            return Array(choices.one(of: ["*", "session:*", "session:?", "[a-h]*", "m*", "log*"]).utf8)
        case "flow", "f": return Array(flow(&choices).name.utf8)
        case "event": return Array(chosenEvent(&choices).name.utf8)
        case "payload": return choices.payload(of: event ?? chosenEvent(&choices))
        case "state", "s": return Array(chosenShape(&choices).state.utf8)
        case "json": return Array(json(&choices).utf8)
        case "timer": return Array(timer(&choices).utf8)
        case "duration": return Array(choices.duration().utf8)
        case "n", "cursor", "number", "version": return Array(choices.integer().utf8)
        case "token": return choices.happens(160) ? Array(World.token.utf8) : choices.text()
        case "id": return choices.id()
        case "device": return Array(choices.one(of: Devices.names).utf8)
        case "handle": return Array(choices.one(of: ["0x002A", "0x0021", "0x0030", "0x0010", "0", "0xFFFF"]).utf8)
        case "value": return settingOrValue(&choices)
        case "name": return Array(choices.one(of: Limit.all.map(\.name) + CommandTable.all.commands.map(\.name) + ["log"]).utf8)
        default: return choices.text()
        }
    }

    private func flow(_ choices: inout Choices) -> HostedFlow {
        (choices.happens(230) ? HostedFlow.named(role.flow) : nil) ?? choices.one(of: HostedFlow.all)
    }

    private mutating func chosenEvent(_ choices: inout Choices) -> AcceptedEvent {
        let chosen = choices.one(of: flow(&choices).events)
        event = chosen
        return chosen
    }

    private mutating func chosenShape(_ choices: inout Choices) -> StateShape {
        let chosen = choices.one(of: flow(&choices).shapes)
        shape = chosen
        return chosen
    }

    /// After a state's name, the argument is that state's data.
    private mutating func json(_ choices: inout Choices) -> String {
        if let shape { return choices.forced(into: shape) }
        return choices.beginning(in: chosenShape(&choices))
    }

    private func timer(_ choices: inout Choices) -> String {
        choices.one(of: choices.happens(230) ? HostedFlow.named(role.flow)?.timers ?? [] : HostedFlow.allTimers)
    }

    private func settingOrValue(_ choices: inout Choices) -> [UInt8] {
        switch choices.byte() {
        case ..<128: Array(choices.integer().utf8)
        case ..<200:
            Array(
                choices.one(of: ["pressed", "released", "01", "0102", "0205", "FFFF", "D700", "1k", "2k", "debug", "error"])
                    .utf8)
        default: choices.text()
        }
    }
}
