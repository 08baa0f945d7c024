// A registration that remembers where Back leads, and what was entered: a table.

import GameFlow

/// A registration, page by page, in which Back leads where the user came from.
public struct Registration: TableFlow {
    public enum Page: String, Codable, Sendable, CaseIterable {
        case login, createProfile, facebookProfile, selectAvatar, termsAndConditions, finished
    }

    public enum Event: Equatable, Sendable {
        case next, login, facebookRegister, registerLater, back
        case enterProfile(name: String, email: String?)
        case chooseAvatar(String)
        case consent(terms: Bool, newsletter: Bool)
        /// The user has not touched the page for a quarter of an hour.
        case inactive
    }

    /// The kinds of events in the table: all that lead on are one.
    public enum Step: Sendable {
        case next, login, facebookRegister, registerLater, back, inactive
    }

    /// The values that people enter. There is no password: the history shows payloads.
    public struct Values: PageValues {
        public var name: String?
        public var email: String?
        public var avatar: String?
        public var terms: Bool?
        public var newsletter: Bool?

        public init() {}
    }

    private static let name = PayloadKind.text("name", length: 1...60)
    private static let email = PayloadKind.text("email", length: 3...254, hint: "like ann@example.org")
    private static let avatar = PayloadKind.text("avatar", oneOf: ["bear", "cat", "fox", "owl", "robot"])
    public static let fields = [name, email, avatar]

    public static let events = Catalogue<Event>(
        .plain(.next), .plain(.login, label: "Log in"), .plain(.facebookRegister, label: "Register with Facebook"),
        .plain(.registerLater), .plain(.back),
        .object(
            .object("profile", [name, email.optional]),
            samples: [.enterProfile(name: "Ann", email: nil), .enterProfile(name: "Ben", email: "ben@example.org")]
        ) { .enterProfile(name: $0.text("name") ?? "", email: $0.text("email")) },
        .text(Event.chooseAvatar, avatar, samples: ["fox"]),
        .object(
            .object("answers", [.boolean("terms"), .boolean("newsletter").optional]), label: "Agree",
            samples: [.consent(terms: true, newsletter: false)]
        ) { .consent(terms: $0.boolean("terms") ?? false, newsletter: $0.boolean("newsletter") ?? false) },
        .timer(.inactive))
    public static let inactivity = TimerPlan.countdown(
        "inactivity", .seconds(15 * 60), label: "Time left", message: Event.inactive)
    public static let firstPage = Page.login

    public static let table: TransitionTable<Page, Step> = {
        var table = TransitionTable<Page, Step>()
        table[.login] = [.next: .createProfile, .login: .finished]
        table[.createProfile] = [
            .next: .selectAvatar, .facebookRegister: .facebookProfile, .registerLater: .termsAndConditions, .back: .login,
            .inactive: .login,
        ]
        table[.facebookProfile] = [
            .next: .selectAvatar, .registerLater: .termsAndConditions, .back: .createProfile, .inactive: .login,
        ]
        table[.selectAvatar] = [.next: .termsAndConditions, .back: .createProfile, .inactive: .login]
        table[.termsAndConditions] = [.next: .finished, .back: .createProfile, .inactive: .login]
        for page in [Page.createProfile, .facebookProfile, .selectAvatar, .termsAndConditions] {
            table.back[page] = .back
            table.timers[page] = inactivity
        }
        table.finals = [.finished]
        return table
    }()

    public static func step(of event: Event) -> Step {
        switch event {
        case .next, .enterProfile, .chooseAvatar, .consent: .next
        case .login: .login
        case .facebookRegister: .facebookRegister
        case .registerLater: .registerLater
        case .back: .back
        case .inactive: .inactive
        }
    }

    public let clock: FlowClock

    public init(clock: FlowClock) {
        self.clock = clock
    }

    /// Each page takes its own values, and goes on with those that it has from before.
    public func values(_ values: Values, after event: Event, on page: Page) throws(FlowError) -> Values {
        var values = values
        switch (page, event) {
        case (.createProfile, .enterProfile(let name, let email)), (.facebookProfile, .enterProfile(let name, let email)):
            (values.name, values.email) = (name, email)
        case (.createProfile, .next) where values.name != nil, (.facebookProfile, .next) where values.name != nil: break
        case (.selectAvatar, .chooseAvatar(let avatar)): values.avatar = avatar
        case (.selectAvatar, .next) where values.avatar != nil: break
        case (.termsAndConditions, .consent(true, let newsletter)): (values.terms, values.newsletter) = (true, newsletter)
        case (.termsAndConditions, .consent(false, _)):
            throw .refused("the terms are not accepted: send terms as true, or go back")
        case (.login, .next): break
        case (_, .next), (_, .enterProfile), (_, .chooseAvatar), (_, .consent): throw .transitionNotFound
        case (_, .login), (_, .facebookRegister), (_, .registerLater), (_, .back), (_, .inactive): break
        }
        return values
    }

    public func screen(for state: State) -> Screen {
        let (text, progress) = content(of: state.page, state.values)
        return Screen(title: state.name.spelledOut, text: text, progress: progress)
    }

    private func content(of page: Page, _ values: Values) -> (text: String, progress: Double) {
        switch page {
        case .login: ("Log in, or go on to register.", 0)
        case .createProfile: (values.person.map { "You are \($0)." } ?? "Tell us who you are.", 0.2)
        case .facebookProfile: (values.person.map { "You are \($0)." } ?? "Your profile comes from Facebook.", 0.4)
        case .selectAvatar: (values.avatar.map { "Your picture: \($0)." } ?? "Choose a picture.", 0.6)
        case .termsAndConditions: ("Read this, and go on if you agree.", 0.8)
        case .finished: (values.name.map { "You are in, \($0)." } ?? "You are in.", 1)
        }
    }
}

extension Registration.Values {
    /// The profile, for people; nil before there is one.
    fileprivate var person: String? { name.map { name in email.map { "\(name), \($0)" } ?? name } }
}
