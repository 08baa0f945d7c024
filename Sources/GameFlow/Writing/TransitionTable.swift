// A flow written as a table: for each page, which event leads to which page.

import Timers

/// Which event leads where.
///
///     table[.login] = [.next: .createProfile, .login: .finished]
///     table.back[.selectAvatar] = .back
public struct TransitionTable<Page: Hashable & Sendable, Event: Hashable & Sendable>: Sendable {
    private var rows: [Page: [Event: Page]] = [:]
    /// Rows that were set again: the events that the second row lacks or changes.
    private(set) var lost: [Page: [Event]] = [:]
    /// On these pages this event leads back to the page that the user came from. Without such a page, it leads where its row says.
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
    func target(from page: Page, _ trail: [Page], on event: Event) -> Target? {
        if back[page] == event, let last = trail.last { return .back(to: last) }
        return rows[page]?[event].map { .on(to: $0) }
    }

    enum Target {
        case on(to: Page)
        case back(to: Page)
    }
}

/// The state of a flow that is written as a table: a page, its timer, and the pages that led there.
public struct TableState<Page: Codable & Hashable & Sendable & RawRepresentable<String>>: FlowState {
    /// Where the session is; its raw value is the state's name.
    public let page: Page
    /// The pages that the user came through: Back leads to the last of them.
    public let trail: [Page]
    /// The page's timer, if it has one.
    public let timer: Countdown?

    /// The page that the user came from; nil on the first page.
    public var origin: Page? { trail.last }

    /// The page's name.
    public var ownName: String? { page.rawValue }

    private enum CodingKeys: String, CodingKey {
        case origin, earlier, timer
    }

    /// Pages that Back remembers.
    private static var maxTrailLength: Int { 32 }

    init(page: Page, trail: [Page], timer: Countdown?) {
        self.page = page
        self.trail = trail.suffix(Self.maxTrailLength)
        self.timer = timer
    }

    public init(from decoder: any Decoder) throws {
        guard let name = (decoder.userInfo[RestorationContext.key] as? RestorationContext)?.stateName,
            let page = Page(rawValue: name)
        else {
            throw RestorationError("a page of a table can only be restored by a machine, which knows its name")
        }
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let origin = try fields.decodeIfPresent(Page.self, forKey: .origin)
        let earlier = try fields.decodeIfPresent([Page].self, forKey: .earlier) ?? []
        self.page = page
        trail = (earlier + (origin.map { [$0] } ?? [])).suffix(Self.maxTrailLength)
        // The data of a page without a timer has null; where the timer is missing, the flow decides.
        timer = try fields.decodeIfPresent(Countdown.self, forKey: .timer)
    }

    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encodeIfPresent(origin, forKey: .origin)
        if trail.count > 1 { try fields.encode(trail.dropLast(), forKey: .earlier) }
        try fields.encodeIfPresent(timer, forKey: .timer)
    }

    /// The page of that name. Throws if the page does not exist, or if the data is not what a page carries.
    public static func restored(_ name: String, _ data: JSON, _ restoring: RestorationContext) throws -> Self {
        try restoring.decode(from: data)
    }
}

extension TableState where Page: CaseIterable {
    /// The names of all pages.
    public static var allNames: [String] { Page.allCases.map(\.rawValue) }
}

/// A flow with a table as its selector.
public protocol TableFlow: TypedFlow
where State == TableState<Page>, Event: Hashable {
    /// The places that a session can be in; their raw values are the states' names.
    associatedtype Page: Codable & Hashable & Sendable & RawRepresentable<String> & CaseIterable

    /// Which event leads where.
    static var table: TransitionTable<Page, Event> { get }
    /// The page that a session begins on, from which nothing leads back.
    static var firstPage: Page { get }
}

extension TableFlow {
    /// The names of all pages.
    public static var states: [String] { Page.allCases.map(\.rawValue) }
    /// The timers of all pages, one of each name.
    public static var timers: [TimerPlan] {
        var seen: Set<String> = []
        return Page.allCases.compactMap { table.timers[$0] }.filter { seen.insert($0.name).inserted }
    }
    /// A sentence for each page with a pendulum as its timer, and for each page with a row that a second one replaces.
    public static var complaints: [String] {
        let table = table
        return Page.allCases.compactMap { page in table.timers[page]?.complaint(on: page.rawValue) }
            + Page.allCases.compactMap { page in
                guard let events = table.lost[page], !events.isEmpty else { return nil }
                let names = events.map { caseName(of: $0) }.sorted().joined(separator: ", ")
                return
                    "the row of '\(page.rawValue)' is set twice, and the second one loses or changes \(names): write table[.\(page.rawValue)][.event] = .page to add to it"
            }
    }

    /// The first page.
    public func initialState() throws -> State {
        try state(on: Self.firstPage, [])
    }

    /// The way that the table says. Throws if the page's row has no such event.
    public func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch Self.table.target(from: state.page, state.trail, on: event) {
        case .on(let page): return { try self.state(on: page, page == Self.firstPage ? [] : state.trail + [state.page]) }
        case .back(let page): return { try self.state(on: page, state.trail.dropLast()) }
        case nil: throw .transitionNotFound
        }
    }

    /// Whether the page is one of the table's finals.
    public func isFinal(_ state: State) -> Bool { Self.table.finals.contains(state.page) }

    /// Gives the page its own timer and no other, from any previous page.
    public func completed(_ restored: State, from current: State?) throws -> State {
        guard restored.timer?.plan.name != Self.table.timers[restored.page]?.name else { return restored }
        return try state(on: restored.page, restored.trail)
    }

    private func state(on page: Page, _ trail: [Page]) throws -> State {
        let timer = try Self.table.timers[page].map { try Countdown(plan($0), on: clock) }
        return TableState(page: page, trail: trail, timer: timer)
    }
}

extension TimerPlan {
    /// A page's timer fires once.
    func complaint(on page: String) -> String? {
        guard kind == .pendulum else { return nil }
        return "the page '\(page)' has the pendulum '\(name)', and a page's timer fires once: make it with TimerPlan.countdown"
    }
}
