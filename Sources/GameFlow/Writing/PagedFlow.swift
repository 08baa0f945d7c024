// Flows with pages as their states: the common part of tables and of delegated flows.

/// The values that a session collects on its pages. All are missing at first.
public protocol PageValues: Codable, Sendable {
    /// Without any value.
    init()
}

/// The values of a flow that collects none.
public struct NoValues: PageValues {
    /// Nothing.
    public init() {}
}

/// The state of a flow with pages: a page, its timer, the pages that led there, and the values that were collected on them.
public struct PageState<Page: Codable & Hashable & Sendable & RawRepresentable<String>, Values: PageValues>: FlowState {
    /// Where the session is; its raw value is the state's name.
    public let page: Page
    /// The pages that the user came through: Back leads to the last of them.
    public let trail: [Page]
    /// The page's timer, if it has one.
    public let timer: Countdown?
    /// The collected values. They are members of the state's data, beside `origin`, `earlier` and `timer`.
    public let values: Values

    /// The page that the user came from; nil on the first page.
    public var origin: Page? { trail.last }

    /// The page's name.
    public var ownName: String? { page.rawValue }

    private enum CodingKeys: String, CodingKey {
        case origin, earlier, timer
    }

    /// Pages that Back remembers.
    private static var maxTrailLength: Int { 32 }

    init(page: Page, trail: [Page], timer: Countdown?, values: Values) {
        self.page = page
        self.trail = trail.suffix(Self.maxTrailLength)
        self.timer = timer
        self.values = values
    }

    public init(from decoder: any Decoder) throws {
        guard let name = (decoder.userInfo[RestorationContext.key] as? RestorationContext)?.stateName,
            let page = Page(rawValue: name)
        else {
            throw RestorationError("a page can only be restored by a machine, which knows its name")
        }
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let origin = try fields.decodeIfPresent(Page.self, forKey: .origin)
        let earlier = try fields.decodeIfPresent([Page].self, forKey: .earlier) ?? []
        self.page = page
        trail = (earlier + (origin.map { [$0] } ?? [])).suffix(Self.maxTrailLength)
        // The data of a page without a timer has null; where the timer is missing, the flow decides.
        timer = try fields.decodeIfPresent(Countdown.self, forKey: .timer)
        values = try Values(from: decoder)
    }

    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encodeIfPresent(origin, forKey: .origin)
        if trail.count > 1 { try fields.encode(trail.dropLast(), forKey: .earlier) }
        try fields.encodeIfPresent(timer, forKey: .timer)
        try values.encode(to: encoder)
    }

    /// The page of that name. Throws if the page does not exist, or if the data is not what a page carries.
    public static func restored(_ name: String, _ data: JSON, _ restoring: RestorationContext) throws -> Self {
        try restoring.decode(from: data)
    }
}

extension PageState where Page: CaseIterable {
    /// The names of all pages.
    public static var allNames: [String] { Page.allCases.map(\.rawValue) }
}

/// A flow with pages as its states: a table, or a flow with a delegate.
public protocol PagedFlow: TypedFlow where State == PageState<Page, Values> {
    /// The places that a session can be in; their raw values are the states' names.
    associatedtype Page: Codable & Hashable & Sendable & RawRepresentable<String> & CaseIterable
    /// The values that a session collects on its pages; none by default.
    associatedtype Values: PageValues = NoValues

    /// The page that a session begins on, from which nothing leads back. A session that comes there loses its values.
    static var firstPage: Page { get }
    /// The page's timer, if it has one.
    static func timer(on page: Page) -> TimerPlan?
    /// The values once the event is handled. Throws to refuse it. By default they stay as they are.
    func values(_ values: Values, after event: Event, on page: Page) throws(FlowError) -> Values
}

extension PagedFlow {
    /// The names of all pages.
    public static var states: [String] { Page.allCases.map(\.rawValue) }
    /// The timers of all pages, one of each name.
    public static var timers: [TimerPlan] {
        var seen: Set<String> = []
        return Page.allCases.compactMap(timer).filter { seen.insert($0.name).inserted }
    }
    /// A sentence for each page with a pendulum as its timer.
    public static var complaints: [String] { complaintsOfTimers }

    static var complaintsOfTimers: [String] {
        Page.allCases.compactMap { page in
            guard let timer = timer(on: page), timer.kind == .pendulum else { return nil }
            return
                "the page '\(page.rawValue)' has the pendulum '\(timer.name)', and a page's timer fires once: make it with TimerPlan.countdown"
        }
    }

    /// The values as they are.
    public func values(_ values: Values, after event: Event, on page: Page) throws(FlowError) -> Values { values }

    /// The first page.
    public func initialState() throws -> State {
        try state(on: Self.firstPage, [], Values())
    }

    /// Gives the page its own timer and no other, from any previous page.
    public func completed(_ restored: State, from current: State?) throws -> State {
        guard restored.timer?.plan.name != Self.timer(on: restored.page)?.name else { return restored }
        return try state(on: restored.page, restored.trail, restored.values)
    }

    func state(on page: Page, _ trail: [Page], _ values: Values) throws -> State {
        let timer = try Self.timer(on: page).map { try Countdown(plan($0), on: clock) }
        let isFirst = page == Self.firstPage
        return PageState(page: page, trail: isFirst ? [] : trail, timer: timer, values: isFirst ? Values() : values)
    }
}
