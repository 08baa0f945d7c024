// A flow with events that request a state directly, and with a delegate that decides.

import Timers

/// Decides about steps, and observes them. Flows refer to it weakly: keep a reference to it.
public protocol TransitionDelegate<Page>: AnyObject, Sendable {
    /// The places that a session can be in.
    associatedtype Page

    /// Whether a session may go from one page to another. It is also called to find out which pages are allowed, so it must have no side
    /// effects. The session's name is empty before its host has taken it.
    func shouldTransition(from: Page, to: Page, in session: String) -> Bool
    /// Called when a session has gone from one page to another.
    func didTransition(from: Page, to: Page, in session: String)
}

/// The only event of such a flow: a request to go to a page.
public struct StateRequest<Page: Hashable & Sendable & RawRepresentable<String>>: Hashable, Sendable, NamedEvent {
    /// Where to go.
    public let page: Page
    /// The page's name.
    public var eventName: String { page.rawValue }

    /// Asks for this page.
    public init(_ page: Page) {
        self.page = page
    }
}

/// A flow with a selector that asks its delegate. Without a delegate nothing is allowed.
public protocol DelegatedFlow: TypedFlow where State == TableState<Page>, Event == StateRequest<Page> {
    /// The places that a session can be in; their raw values are the states' names.
    associatedtype Page: Codable & Hashable & Sendable & RawRepresentable<String> & CaseIterable

    /// The page that a session begins on.
    static var firstPage: Page { get }
    /// The timer after which a page requests another one by itself.
    static func timer(on page: Page) -> TimerPlan?
    /// Decides; without a delegate everything is refused.
    var delegate: (any TransitionDelegate<Page>)? { get }
}

extension DelegatedFlow {
    /// The names of all pages.
    public static var states: [String] { Page.allCases.map(\.rawValue) }
    /// The timers of all pages.
    public static var timers: [TimerPlan] { Page.allCases.compactMap(timer) }
    /// A sentence for each page with a pendulum as its timer.
    public static var complaints: [String] {
        Page.allCases.compactMap { page in timer(on: page)?.complaint(on: page.rawValue) }
    }

    /// One event for every page, with the page's name.
    public static func requests(label: (Page) -> String) -> [EventSpec<Event>] {
        Page.allCases.map { page in
            EventSpec(page.rawValue, label: label(page), from: .clientsAndTimers, samples: [StateRequest(page)]) { _ in
                StateRequest(page)
            }
        }
    }

    /// The first page.
    public func initialState() throws -> State {
        try state(on: Self.firstPage, from: nil)
    }

    /// The way to the page that is asked for. Throws unless the delegate allows it.
    public func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        guard let delegate, delegate.shouldTransition(from: state.page, to: event.page, in: clock.sessionName) else {
            throw .transitionNotFound
        }
        return { try self.state(on: event.page, from: state.page) }
    }

    /// Has the machine notify the delegate of every committed step.
    public static func prepare(_ definition: inout FlowDefinition<Self>) {
        definition.after { session, change in
            guard let from = Page(rawValue: change.from) else { return }
            session.flow.delegate?.didTransition(from: from, to: session.state.page, in: session.sessionName)
        }
    }

    /// Gives the page its own timer and no other, from any previous page.
    public func completed(_ restored: State, from current: State?) throws -> State {
        guard restored.timer?.plan.name != Self.timer(on: restored.page)?.name else { return restored }
        return try state(on: restored.page, from: restored.origin)
    }

    private func state(on page: Page, from origin: Page?) throws -> State {
        let timer = try Self.timer(on: page).map { try Countdown(plan($0), on: clock) }
        return TableState(page: page, trail: origin.map { [$0] } ?? [], timer: timer)
    }
}
