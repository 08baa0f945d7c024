// Steps that are not commands: one list for parsing, errors and help.

import Texts
import Timers

package struct StepWord: Sendable {
    package let name: String
    /// As people read it: `expect-timer SESSION TIMER DURATION|none`.
    package let syntax: String
    package let summary: String
    /// How many words it takes, including its own.
    private let words: ClosedRange<Int>
    private let read: @Sendable ([String]) throws(StepFault) -> ScenarioStep.Action

    init(
        _ syntax: String, _ summary: String, words: ClosedRange<Int>,
        _ read: @escaping @Sendable ([String]) throws(StepFault) -> ScenarioStep.Action
    ) {
        name = String(syntax.prefix { $0 != " " })
        self.syntax = syntax
        self.summary = summary
        self.words = words
        self.read = read
    }

    func action(_ words: [String]) throws(StepFault) -> ScenarioStep.Action {
        guard self.words.contains(words.count) else {
            throw StepFault("wrong number of words for '\(name)'; the step is: \(syntax)")
        }
        return try read(words)
    }

    package static func find(_ name: String) -> StepWord? { all.first { $0.name == name.lowercased() } }

    private static let many = 1_000

    /// A step with an expectation about the session named by its second word.
    private static func expectation(
        _ syntax: String, _ summary: String, words: ClosedRange<Int>,
        _ read: @escaping @Sendable (_ rest: [String]) throws(StepFault) -> Expectation
    ) -> StepWord {
        StepWord(syntax, summary, words: words) { words throws(StepFault) in
            .expectation(session: words[1], try read(Array(words.dropFirst(2))))
        }
    }

    package static let all: [StepWord] = [
        expectation(
            "expect SESSION STATE [PATH=VALUE …]", "The session is in the state, with this in its data.", words: 3...many
        ) { rest throws(StepFault) in
            var data: [DataExpectation] = []
            for word in rest.dropFirst() { data.append(try DataExpectation(parsing: word)) }
            return .state(rest[0], data)
        },
        expectation(
            "expect-data SESSION PATH VALUE", "The state's data has the value there (null: nothing).", words: 4...4
        ) { rest throws(StepFault) in .data(try DataExpectation(path: rest[0], value: rest[1])) },
        expectation(
            "expect-timer SESSION TIMER DURATION|none", "The timer has exactly this remaining time; none: it does not run.",
            words: 4...4
        ) { rest throws(StepFault) in .timer(rest[0], left: rest[1] == "none" ? nil : try duration(rest[1])) },
        expectation(
            "expect-timers SESSION [TIMER …]", "The session has these timers and no others.", words: 2...many
        ) { rest throws(StepFault) in .timers(rest) },
        expectation(
            "expect-events SESSION [EVENT …]", "The session accepts these events and no others, in any order.", words: 2...many
        ) { rest throws(StepFault) in .events(rest) },
        expectation(
            "expect-paused SESSION [TIMER] yes|no", "The session's clock, or the timer, is paused or not.", words: 3...4
        ) { rest throws(StepFault) in
            .paused(timer: rest.count == 2 ? rest[0] : nil, try answer(rest[rest.count - 1]))
        },
        expectation(
            "expect-final SESSION yes|no", "The session is final or not.", words: 3...3
        ) { rest throws(StepFault) in .final(try answer(rest[0])) },
        expectation(
            "expect-version SESSION NUMBER", "The session has had this number of changes.", words: 3...3
        ) { rest throws(StepFault) in
            guard let number = Int(rest[0]), number >= 0 else { throw StepFault("'\(rest[0])' is not a number of changes") }
            return .version(number)
        },
        StepWord(
            "expect-emitted SESSION EVENT [VALUE]", "The last command made the session emit the event, with this.", words: 3...4
        ) { words throws(StepFault) in
            let data = words.count > 3 ? try DataExpectation(path: ExpectedEmission.path, value: words[3]) : nil
            return .emission(session: words[1], ExpectedEmission(event: words[2], data: data))
        },
        StepWord(
            "expect-error CODE COMMAND …", "The command is refused, with this code.", words: 3...many
        ) { words throws(StepFault) in
            guard words[1] == words[1].uppercased() else {
                throw StepFault("'\(words[1])' is not a code; codes are in capitals, like NOTRANSITION")
            }
            return .refusal(code: ErrorCode(words[1]), of: Array(words.dropFirst(2)))
        },
        StepWord(
            "expect-reply TEXT COMMAND …", "The command is answered with this.", words: 3...many
        ) { words throws(StepFault) in .reply(words[1], to: try ScenarioStep.command(Array(words.dropFirst(2)))) },
        StepWord(
            "flow FILE", "A flow file, whose path counts from the scenario's; it hides a flow of its name.",
            words: 2...2
        ) { words throws(StepFault) in .flow(path: words[1]) },
        StepWord(
            StandInDirective.startup, "What the flow startup finds: a saved session or none, a log-in that works or not.",
            words: 2...4
        ) { words throws(StepFault) in .standIn(try StandInDirective(startup: Array(words.dropFirst()))) },
        StepWord(
            StandInDirective.onboarding, "Sets the results of the account's load and the device's checks.",
            words: 3...4
        ) { words throws(StepFault) in .standIn(try StandInDirective(onboarding: Array(words.dropFirst()))) },
        StepWord(
            StandInDirective.permissions, "Sets the system's reply in the flow permissions.", words: 2...2
        ) { words throws(StepFault) in .standIn(try StandInDirective(permissions: Array(words.dropFirst()))) },
        StepWord(
            "devices FILE", "Simulated devices, from a file whose path counts from the scenario's.", words: 2...2
        ) { words throws(StepFault) in .devices(path: words[1]) },
    ]

    private static func duration(_ word: String) throws(StepFault) -> Duration {
        guard let duration = Duration(text: word) else { throw StepFault(Duration.complaint(about: word.shortened)) }
        return duration
    }

    private static func answer(_ word: String) throws(StepFault) -> Bool {
        switch word {
        case "yes": true
        case "no": false
        default: throw StepFault("'\(word.shortened)' is neither yes nor no")
        }
    }
}
