// A flow written as a table: for each page, which event leads to which page.

import Timers

/// Which event leads where.
///
///     table[.login] = [.next: .createProfile, .login: .finished]
///     table.back[.selectAvatar] = .back
public struct TransitionTable<Page: Hashable & Sendable, Event: Hashable & Sendable>: Sendable {
    private var rows: [Page: [Event: Page]] = [:]
    /// On these pages this event leads to the page that the user came from.
    public var back: [Page: Event] = [:]
    /// Pages on which nothing more comes.
    public var finals: Set<Page> = []
    /// How long a page waits before its timer's event comes.
    public var timers: [Page: TimerPlan] = [:]

    public init() {}

    public subscript(page: Page) -> [Event: Page] {
        get { rows[page] ?? [:] }
        set { rows[page] = newValue }
    }

    /// The page that an event leads to from a page which was reached from `origin`.
    func target(from page: Page, origin: Page?, on event: Event) -> Page? {
        back[page] == event ? origin : rows[page]?[event]
    }
}

/// Where a flow is that is written as a table.
public struct TableState<Page: Codable & Hashable & Sendable & RawRepresentable<String>>: FlowState {
    public let page: Page
    /// The page that the user came from; nil where the flow begins.
    public let origin: Page?
    /// The page's timer, if it has one.
    public let timer: Countdown?

    public var name: String { page.rawValue }

    private enum CodingKeys: String, CodingKey {
        case origin, timer
    }

    init(page: Page, origin: Page?, timer: Countdown?) {
        self.page = page
        self.origin = origin
        self.timer = timer
    }

    public init(from decoder: any Decoder) throws {
        guard let name = (decoder.userInfo[Restoring.key] as? Restoring)?.stateName, let page = Page(rawValue: name) else {
            throw RestoringError("a page of a table can only be restored by a machine, which knows its name")
        }
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.page = page
        origin = try fields.decodeIfPresent(Page.self, forKey: .origin)
        // A page that has no timer says so; where nothing is said, the flow decides.
        timer = try fields.decodeIfPresent(Countdown.self, forKey: .timer)
    }

    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encodeIfPresent(origin, forKey: .origin)
        try fields.encodeIfPresent(timer, forKey: .timer)
    }

    public static func restored(_ name: String, _ data: JSON, _ restoring: Restoring) throws -> Self {
        try restoring.decode(from: data)
    }
}

/// A flow whose selector is a table.
public protocol TableFlow: Flow
where State == TableState<Page>, Event: Hashable {
    associatedtype Page: Codable & Hashable & Sendable & RawRepresentable<String> & CaseIterable

    static var table: TransitionTable<Page, Event> { get }
    static var firstPage: Page { get }
}

extension TableFlow {
    public static var states: [String] { Page.allCases.map(\.rawValue) }
    public static var timers: [TimerPlan] { Page.allCases.compactMap { table.timers[$0] } }

    public func initialState() throws -> State {
        try state(on: Self.firstPage, from: nil)
    }

    public func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        guard let page = Self.table.target(from: state.page, origin: state.origin, on: event) else {
            throw .transitionNotFound
        }
        return { try self.state(on: page, from: state.page) }
    }

    public func isFinal(_ state: State) -> Bool { Self.table.finals.contains(state.page) }

    /// A page has its own timer and no other, wherever somebody comes from.
    public func completed(_ restored: State) throws -> State {
        guard restored.timer?.plan.name != Self.table.timers[restored.page]?.name else { return restored }
        return try state(on: restored.page, from: restored.origin)
    }

    private func state(on page: Page, from origin: Page?) throws -> State {
        TableState(page: page, origin: origin, timer: try Self.table.timers[page].map { try Countdown($0, on: clock) })
    }
}
