// Bytes, read as a program.

@testable import Commands
@testable import Console
@testable import Simulation
@testable import SQLiteStore

struct Program {
    let steps: [Step]

    static let maxSteps = 60
    /// Each of them costs as much as many other steps, and a thread.
    private static let maxRestarts = 6

    init(steps: [Step]) {
        self.steps = steps
    }

    init(reading bytes: some Collection<UInt8>) {
        var (choices, steps) = (Choices(bytes), [Step]())
        let roles = (0..<4).map { _ in choices.one(of: Role.all) }
        if !choices.happens(24) { steps = Self.beginning(roles) }
        while !choices.isAtEnd, steps.count < Self.maxSteps { steps += choices.steps(roles) }
        self.steps = Self.withFewRestarts(steps)
    }

    private static func withFewRestarts(_ steps: [Step]) -> [Step] {
        var restarts = 0
        return steps.filter { step in
            guard case .restart = step else { return true }
            restarts += 1
            return restarts <= maxRestarts
        }
    }

    /// Most programs start with sessions.
    private static func beginning(_ roles: [Role]) -> [Step] {
        let requests = roles.map { Step.Request(words: [Array("NEW".utf8), $0.name, Array($0.flow.utf8)], isInline: false) }
        return [.say(client: 0, requests, pieces: .max), .endTurn]
    }
}

extension Program: CustomStringConvertible {
    var description: String { steps.map(\.description).joined(separator: "\n") }
}

extension Choices {
    fileprivate mutating func steps(_ roles: [Role]) -> [Step] {
        let client = happens(32) ? number(below: World.clientCount) : number(below: 2)
        switch byte() {
        case ..<190: return [requests(client, 1, roles)] + end()
        case ..<212: return [requests(client, 2 + number(below: 6), roles)] + end()
        case ..<218: return [.babble(client: client, babble())] + end()
        case ..<224: return [.read(client: client, happens(128))]
        case ..<227: return [.hangUp(client: client)] + end()
        case ..<233: return [.standIn(directive())]
        case ..<242: return [.restart(.clean)]
        case ..<249: return [.restart(.crash)]
        case ..<252: return [.restart(.crashTwice)]
        default: return [.dieSoon(transactions: number(below: 6))]
        }
    }

    /// Mostly a turn is over after each step.
    private mutating func end() -> [Step] { happens(20) ? [] : [.endTurn] }

    private mutating func requests(_ client: Int, _ count: Int, _ roles: [Role]) -> Step {
        var requests = (0..<count).map { _ in request(roles) }
        // The time that has passed is known once all requests are done, so only one of them may advance it.
        var hasAdvanced = false
        requests.removeAll { request in
            guard request.isAdvance else { return false }
            defer { hasAdvanced = true }
            return hasAdvanced
        }
        return .say(client: client, requests, pieces: happens(40) ? 1 + number(below: 30) : .max)
    }

    private mutating func babble() -> [UInt8] {
        switch number(below: 6) {
        case 0: bytes(number(below: 64))
        case 1: Array("*2\r\n$-1\r\n".utf8)
        case 2: Array("*\(integer())\r\n$\(integer())\r\n".utf8)
        case 3: Array("\"open\r\n".utf8)
        case 4: Array("POST / HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
        default: Array("*1\r\n$4\r\nPING\r\n*0\r\n\r\nPING\n".utf8)
        }
    }

    private mutating func directive() -> StandInDirective {
        let answer: StandInDirective.Answer =
            switch number(below: 4) {
            case 0: .text(String(decoding: text(), as: UTF8.self))
            case 1: .nothing
            case 2: .failure(String(decoding: text(), as: UTF8.self))
            default: .silence
            }
        let questions = StandInDirective.Question.allCases
        return StandInDirective(question: questions[number(below: questions.count)], answer: answer)
    }
}

extension Step.Request {
    var isAdvance: Bool { words.first.map { String(decoding: $0, as: UTF8.self).uppercased() } == "ADVANCE" }
}
