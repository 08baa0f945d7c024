// A flow written as a table: for each page, which event leads to which page.

/// Which event leads where.
///
///     table[.login] = [.next: .createProfile, .login: .finished]
///     table.back[.selectAvatar] = .back
public struct TransitionTable<Page: Hashable & Sendable, Event: Hashable & Sendable>: Sendable {
    private var rows: [Page: [Event: Page]] = [:]
    /// Rows that were set again: the events that the second row lacks or changes.
    private(set) var lost: [Page: [Event]] = [:]
    /// On these pages this event leads back to the page that the user came from. Without such a page, it leads to the target of its row.
    public var back: [Page: Event] = [:]
    /// Pages on which the session ends.
    public var finals: Set<Page> = []
    /// The timers of pages.
    public var timers: [Page: TimerPlan] = [:]

    /// An empty table.
    public init() {}

    /// Where each event leads on this page; empty where there is no row.
    public subscript(page: Page) -> [Event: Page] {
        get { rows[page] ?? [:] }
        set {
            if let row = rows[page] { lost[page, default: []] += row.filter { newValue[$0.key] != $0.value }.map(\.key) }
            rows[page] = newValue
        }
    }

    /// The target of an event on a page that was reached by this trail.
    func target(from page: Page, _ trail: [Page], on event: Event) -> (page: Page, isBack: Bool)? {
        if back[page] == event, let last = trail.last { return (last, isBack: true) }
        return rows[page]?[event].map { ($0, isBack: false) }
    }
}

/// A flow with a table as its selector.
public protocol TableFlow: PagedFlow {
    /// The keys of the table's rows: the events themselves, or kinds of events where events carry values.
    associatedtype Step: Hashable & Sendable = Event

    /// Which event leads where.
    static var table: TransitionTable<Page, Step> { get }
    /// The event, as the rows list it.
    static func step(of event: Event) -> Step
}

extension TableFlow where Step == Event {
    /// The event itself.
    public static func step(of event: Event) -> Step { event }
}

extension TableFlow {
    /// The page's timer in the table.
    public static func timer(on page: Page) -> TimerPlan? { table.timers[page] }

    /// A sentence for each page with a pendulum as its timer, and for each page with a row that a second one replaces.
    public static var complaints: [String] {
        let table = table
        return complaintsOfTimers
            + Page.allCases.compactMap { page in
                guard let events = table.lost[page], !events.isEmpty else { return nil }
                let names = events.map { caseName(of: $0) }.sorted().joined(separator: ", ")
                return
                    "the row of '\(page.rawValue)' is set twice, and the second one loses or changes \(names): write table[.\(page.rawValue)][.event] = .page to add to it"
            }
    }

    /// The table's transition. Throws if the page's row has no such event.
    public func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        guard let target = Self.table.target(from: state.page, state.trail, on: Self.step(of: event)) else {
            throw .transitionNotFound
        }
        let values = try values(state.values, after: event, on: state.page)
        return {
            let trail = target.isBack ? state.trail.dropLast() : state.trail + [state.page]
            return try self.state(on: target.page, trail, values)
        }
    }

    /// Whether the page is one of the table's finals.
    public func isFinal(_ state: State) -> Bool { Self.table.finals.contains(state.page) }
}
