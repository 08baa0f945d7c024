// An app asks for permissions, one after the other. People answer; a delegate asks the system, and only orchestrators can request a page.

import GameFlow

/// An app asks for permissions, one after the other.
public struct Permissions: DelegatedFlow {
    public enum Page: String, Codable, Sendable, CaseIterable {
        case initial, pushNotificationsAsk, pushNotificationsDisplay, locationAsk, locationDisplay, onboarded
    }

    public enum Event: Hashable, Sendable, NamedEvent {
        case start, allow, deny, notNow
        /// The system's decision about the permission of a Display page.
        case systemGranted, systemDenied
        /// A minute has passed without an answer.
        case noAnswer
        /// Leads to a page.
        case request(Page)

        public var eventName: String {
            if case .request(let page) = self { page.rawValue } else { "\(self)" }
        }
    }

    /// The state of a permission.
    public enum Answer: String, Codable, Sendable {
        case granted, denied, notNow, noAnswer
    }

    /// The answers so far.
    public struct Values: PageValues {
        public var pushNotifications: Answer?
        public var location: Answer?

        public init() {}
    }

    public static let events = Catalogue(
        [
            .plain(.start), .plain(.allow), .plain(.deny), .plain(.notNow),
            .plain(.systemGranted, from: .orchestrators), .plain(.systemDenied, from: .orchestrators), .timer(.noAnswer),
        ] + requests(from: .orchestrators, label: { $0.rawValue.spelledOut }, Event.request))
    public static let firstPage = Page.initial

    /// A question without an answer is skipped, and so is a system that does not reply.
    public static func timer(on page: Page) -> TimerPlan? {
        switch page {
        case .initial, .onboarded: nil
        default: .countdown(page.rawValue, .seconds(60), label: "Time to answer", message: Event.noAnswer)
        }
    }

    public let clock: FlowClock
    public private(set) weak var delegate: (any TransitionDelegate<Page, Event>)?

    public init(clock: FlowClock) {
        self.init(clock: clock, delegate: PermissionOrder.shared)
    }

    /// With a delegate of one's own, which the flow does not hold.
    public init(clock: FlowClock, delegate: any TransitionDelegate<Page, Event>) {
        self.clock = clock
        self.delegate = delegate
    }

    public func page(after event: Event, on page: Page) -> Page? {
        switch (page, event) {
        case (_, .request(let requested)): requested
        case (.initial, .start): .pushNotificationsAsk
        case (.pushNotificationsAsk, .allow): .pushNotificationsDisplay
        case (.pushNotificationsAsk, .deny), (.pushNotificationsAsk, .notNow), (.pushNotificationsAsk, .noAnswer): .locationAsk
        case (.locationAsk, .allow): .locationDisplay
        case (.locationAsk, .deny), (.locationAsk, .notNow), (.locationAsk, .noAnswer): .onboarded
        case (.pushNotificationsDisplay, .systemGranted), (.pushNotificationsDisplay, .systemDenied): .locationAsk
        case (.pushNotificationsDisplay, .noAnswer): .locationAsk
        case (.locationDisplay, .systemGranted), (.locationDisplay, .systemDenied), (.locationDisplay, .noAnswer): .onboarded
        default: nil
        }
    }

    public func values(_ values: Values, after event: Event, on page: Page) -> Values {
        guard let permission = Permission(on: page), let answer = Self.answer(event) else { return values }
        var values = values
        switch permission {
        case .pushNotifications: values.pushNotifications = answer
        case .location: values.location = answer
        }
        return values
    }

    /// To allow something asks the system, which decides.
    private static func answer(_ event: Event) -> Answer? {
        switch event {
        case .systemGranted: .granted
        case .deny, .systemDenied: .denied
        case .notNow: .notNow
        case .noAnswer: .noAnswer
        case .start, .allow, .request: nil
        }
    }

    public func isFinal(_ state: State) -> Bool { state.page == .onboarded }

    public func screen(for state: State) -> Screen {
        switch state.page {
        case .initial: Screen(title: "Permissions", text: "A few questions before we begin.")
        case .pushNotificationsAsk: Screen(title: "Notifications", text: "May we send you notifications?")
        case .pushNotificationsDisplay: Screen(title: "Notifications", text: "Your system asks whether we may.")
        case .locationAsk: Screen(title: "Your location", text: "May we know where you are?")
        case .locationDisplay: Screen(title: "Your location", text: "Your system asks whether we may.")
        case .onboarded: Screen(title: "All set", text: "That is all. Welcome!")
        }
    }
}

/// A permission that people are asked for.
public enum Permission: String, Sendable, CaseIterable {
    case pushNotifications, location

    /// The permission that the page is about.
    init?(on page: Permissions.Page) {
        switch page {
        case .pushNotificationsAsk, .pushNotificationsDisplay: self = .pushNotifications
        case .locationAsk, .locationDisplay: self = .location
        case .initial, .onboarded: return nil
        }
    }
}

/// Decides about permissions that people have allowed, as the system of a telephone does.
public protocol PermissionSystem: Sendable {
    /// Whether it grants the permission.
    func grants(_ permission: Permission, in session: String) async throws -> Bool
}

/// Grants everything: a daemon has no such system.
public struct GrantingSystem: PermissionSystem {
    public init() {}

    public func grants(_ permission: Permission, in session: String) async -> Bool { true }
}

/// The order of the pages. Asks the system about permissions that people have allowed.
public final class PermissionOrder: TransitionDelegate {
    public static let shared = PermissionOrder()

    private let system: any PermissionSystem

    /// Asks this system.
    public init(asking system: any PermissionSystem = GrantingSystem()) {
        self.system = system
    }

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

    /// On a page that shows the system's question, asks it and reports the reply. A system that fails has not granted anything.
    public func didTransition(
        from: Permissions.Page?, to: Permissions.Page, in session: WorkingSession<Permissions.Event>
    ) async {
        guard to == .pushNotificationsDisplay || to == .locationDisplay, let permission = Permission(on: to) else { return }
        let isGranted = (try? await system.grants(permission, in: session.name)) ?? false
        await session.send(isGranted ? .systemGranted : .systemDenied)
    }
}
