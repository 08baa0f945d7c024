// A registration that remembers where Back leads: a table.

import GameFlow
import Timers

/// A registration, page by page, in which Back leads where the user came from.
public struct Registration: TableFlow {
    public enum Page: String, Codable, Sendable, CaseIterable {
        case login, createProfile, facebookProfile, selectAvatar, termsAndConditions, finished
    }

    public enum Event: Hashable, Sendable {
        case next, login, facebookRegister, registerLater, back
        /// The user has not touched the page for a quarter of an hour.
        case inactive
    }

    public static let events = Catalogue<Event>(
        .plain(.next), .plain(.login, label: "Log in"), .plain(.facebookRegister, label: "Register with Facebook"),
        .plain(.registerLater), .plain(.back), .timer(.inactive))
    public static let inactivity = TimerPlan.countdown("inactivity", .seconds(15 * 60), message: Event.inactive)
    public static let firstPage = Page.login

    public static let table: TransitionTable<Page, Event> = {
        var table = TransitionTable<Page, Event>()
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
        for page in [Page.createProfile, .facebookProfile, .selectAvatar, .termsAndConditions] { table.back[page] = .back }
        table.finals = [.finished]
        for page in [Page.createProfile, .facebookProfile, .selectAvatar, .termsAndConditions] {
            table.timers[page] = inactivity
        }
        return table
    }()

    public let clock: FlowClock

    public init(clock: FlowClock) {
        self.clock = clock
    }

    public func screen(for state: State) -> Screen {
        let text =
            switch state.page {
            case .login: "Log in, or go on to register."
            case .createProfile: "Tell us who you are."
            case .facebookProfile: "Your profile comes from Facebook."
            case .selectAvatar: "Choose a picture."
            case .termsAndConditions: "Read this, and go on if you agree."
            case .finished: "You are in."
            }
        return Screen(title: state.name.spelledOut, text: text, progress: progress(of: state.page))
    }

    private func progress(of page: Page) -> Double {
        switch page {
        case .login: 0
        case .createProfile: 0.2
        case .facebookProfile: 0.4
        case .selectAvatar: 0.6
        case .termsAndConditions: 0.8
        case .finished: 1
        }
    }
}
