// The step `startup`: sets what the flow `startup` finds from then on.

extension StartupDirective {
    static let syntax = "saved USER|nobody|unreadable|silent|login USER|login fails [SENTENCE]|login silent"

    init(_ words: [String]) throws(StepFault) {
        switch (words[0], words.count) {
        case ("saved", 2): self = .saved(.user(words[1]))
        case ("nobody", 1): self = .saved(.nobody)
        case ("unreadable", 1): self = .saved(.failure("the saved session cannot be read"))
        case ("silent", 1): self = .saved(.silence)
        case ("login", 2) where words[1] == "silent": self = .login(.silence)
        case ("login", 2...3) where words[1] == "fails":
            self = .login(.failure(words.count == 3 ? words[2] : "the log-in failed"))
        case ("login", 2): self = .login(.user(words[1]))
        default: throw StepFault("the step is: startup \(Self.syntax)")
        }
    }
}
