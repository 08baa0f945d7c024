// An app asks for permissions, one after the other. Its pages are asked for directly, and a delegate knows which follows which.

import GameFlow
import Timers

/// An app asks for permissions, one after the other.
public struct Permissions: DelegatedFlow {
    public enum Page: String, Codable, Sendable, CaseIterable {
        case initial, pushNotificationsAsk, pushNotificationsDisplay, locationAsk, locationDisplay, onboarded
    }

    public static let events = Catalogue(requests { $0.rawValue.spelledOut })
    public static let firstPage = Page.initial

    private static let pushNotifications = TimerPlan.countdown(
        "pushNotificationsAsk", .seconds(60), message: StateRequest(Page.locationAsk))
    private static let location = TimerPlan.countdown(
        "locationAsk", .seconds(60), message: StateRequest(Page.onboarded))

    /// An unanswered question is skipped without granting the permission.
    public static func timer(on page: Page) -> TimerPlan? {
        switch page {
        case .pushNotificationsAsk: pushNotifications
        case .locationAsk: location
        default: nil
        }
    }

    public let clock: FlowClock
    public private(set) weak var delegate: (any TransitionDelegate<Page>)?

    public init(clock: FlowClock) {
        self.init(clock: clock, delegate: PermissionOrder.shared)
    }

    /// With a delegate of one's own, which the flow does not hold.
    public init(clock: FlowClock, delegate: any TransitionDelegate<Page>) {
        self.clock = clock
        self.delegate = delegate
    }

    public func isFinal(_ state: State) -> Bool { state.page == .onboarded }

    public func screen(for state: State) -> Screen {
        let text =
            switch state.page {
            case .initial: "A few questions before we begin."
            case .pushNotificationsAsk: "May we send you notifications?"
            case .pushNotificationsDisplay: "This is what they will look like."
            case .locationAsk: "May we know where you are?"
            case .locationDisplay: "This is what it will be used for."
            case .onboarded: "That is all. Welcome!"
            }
        return Screen(title: state.name.spelledOut, text: text)
    }
}

/// Which page may follow which.
public final class PermissionOrder: TransitionDelegate {
    public static let shared = PermissionOrder()

    public init() {}

    public func shouldTransition(from: Permissions.Page, to: Permissions.Page, in session: String) -> Bool {
        switch (from, to) {
        case (.initial, .pushNotificationsAsk), (.pushNotificationsAsk, .pushNotificationsDisplay),
            (.pushNotificationsAsk, .locationAsk), (.pushNotificationsDisplay, .locationAsk),
            (.locationAsk, .locationDisplay), (.locationAsk, .onboarded), (.locationDisplay, .onboarded):
            true
        default:
            false
        }
    }

    public func didTransition(from: Permissions.Page, to: Permissions.Page, in session: String) {}
}
