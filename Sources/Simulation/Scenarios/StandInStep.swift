// The steps `startup`, `onboarding` and `permissions`: the results of these flows' work from then on.

extension StandInDirective {
    static let startup = "startup saved USER|nobody|unreadable|silent|login USER|login fails [SENTENCE]|login silent"
    static let onboarding =
        "onboarding account NAME|account fails [SENTENCE]|account silent|checks pass|checks fail [SENTENCE]|checks silent"
    static let permissions = "permissions granted|denied|silent"

    init(startup words: [String]) throws(StepFault) {
        switch (words[0], words.count) {
        case ("saved", 2): self.init(.saved, .text(words[1]))
        case ("nobody", 1): self.init(.saved, .nothing)
        case ("unreadable", 1): self.init(.saved, .failure("the saved session cannot be read"))
        case ("silent", 1): self.init(.saved, .silence)
        case ("login", 2...3) where words.count == 2 || words[1] == "fails":
            self.init(.login, Self.answer(Array(words.dropFirst()), fails: "fails", "the log-in failed") ?? .text(words[1]))
        default: throw StepFault("the step is: \(Self.startup)")
        }
    }

    init(onboarding words: [String]) throws(StepFault) {
        let rest = Array(words.dropFirst())
        switch (words[0], words.count) {
        case ("account", 2...3) where words.count == 2 || words[1] == "fails":
            self.init(.account, Self.answer(rest, fails: "fails", "the account cannot be loaded") ?? .text(words[1]))
        case ("checks", 2) where words[1] == "pass": self.init(.checks, .text(""))
        case ("checks", 2...3):
            guard let answer = Self.answer(rest, fails: "fail", "the device does not answer") else { fallthrough }
            self.init(.checks, answer)
        default: throw StepFault("the step is: \(Self.onboarding)")
        }
    }

    init(permissions words: [String]) throws(StepFault) {
        switch words {
        case ["granted"]: self.init(.system, .text(""))
        case ["denied"]: self.init(.system, .nothing)
        case ["silent"]: self.init(.system, .silence)
        default: throw StepFault("the step is: \(Self.permissions)")
        }
    }

    private init(_ question: Question, _ answer: Answer) { (self.question, self.answer) = (question, answer) }

    /// A failure or a silence; nil for anything else.
    private static func answer(_ words: [String], fails: String, _ sentence: String) -> Answer? {
        switch (words[0], words.count) {
        case ("silent", 1): .silence
        case (fails, 1...2): .failure(words.count == 2 ? words[1] : sentence)
        default: nil
        }
    }
}
