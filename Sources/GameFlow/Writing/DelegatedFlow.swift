// A flow with a delegate that decides about steps and observes them.

/// Decides about steps, and observes them. Flows refer to it weakly: keep a reference to it.
public protocol TransitionDelegate<Page, Event>: AnyObject, Sendable {
    /// The places that a session can be in.
    associatedtype Page
    /// The flow's events, which the delegate can send.
    associatedtype Event: Sendable

    /// Whether a session may go from one page to another. It is also called to find out which pages are allowed, so it must have no side
    /// effects. The session's name is empty before its host has taken it.
    func shouldTransition(from: Page, to: Page, in session: String) -> Bool
    /// Called when a session enters a page, and again after a restart of the daemon. `from` is the previous page: nil on the first page, and where the
    /// session was created or forced without one. The call is cancelled when the session leaves the page; events that it sends later are dropped.
    func didTransition(from: Page?, to: Page, in session: WorkingSession<Event>) async
}

/// A delegate that decides asynchronously. Until it has, other events wait.
public protocol AsyncTransitionDelegate<Page, Event>: TransitionDelegate {
    /// Whether a session may go from one page to another. It is called once for each step that the other `shouldTransition` allows.
    func shouldTransition(from: Page, to: Page, in session: String) async -> Bool
}

extension AsyncTransitionDelegate {
    /// Allows everything: the decision comes later.
    public func shouldTransition(from: Page, to: Page, in session: String) -> Bool { true }
}

/// A flow with a selector that asks its delegate. Without a delegate nothing is allowed.
public protocol DelegatedFlow: PagedFlow {
    /// Decides; without a delegate everything is refused.
    var delegate: (any TransitionDelegate<Page, Event>)? { get }
    /// Where the event leads if the delegate agrees; nil if it is not valid on this page.
    func page(after event: Event, on page: Page) -> Page?
}

extension DelegatedFlow {
    /// One event for every page but the first, with the page's name.
    public static func requests(
        from sources: EventSources, label: (Page) -> String, _ event: @escaping @Sendable (Page) -> Event
    ) -> [EventSpec<Event>] {
        Page.allCases.filter { $0 != firstPage }.map { page in
            EventSpec(page.rawValue, label: label(page), from: sources, samples: [event(page)]) { _ in event(page) }
        }
    }

    /// The way to the event's page. Throws unless the delegate allows it.
    public func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        guard let page = page(after: event, on: state.page), let delegate,
            delegate.shouldTransition(from: state.page, to: page, in: clock.sessionName)
        else {
            throw .transitionNotFound
        }
        let values = try values(state.values, after: event, on: state.page)
        return { try self.state(on: page, [state.page], values) }
    }

    /// Has the machine ask a delegate that needs time to decide, and notify the delegate of the session's state.
    public static func prepare(_ definition: inout FlowDefinition<Self>) {
        definition.beforeAsync { flow, state, _, candidate in
            guard let delegate = flow.delegate as? any AsyncTransitionDelegate<Page, Event> else { return nil }
            let (from, to) = (state.page, candidate.page)
            return { session, _ in
                guard await delegate.shouldTransition(from: from, to: to, in: session) else {
                    throw FlowError.refused("the delegate refuses the step from '\(from.rawValue)' to '\(to.rawValue)'")
                }
            }
        }
        definition.orchestrate { flow, state, session in
            guard let delegate = flow.delegate else { return nil }
            let (from, to) = (state.origin, state.page)
            return {
                await delegate.didTransition(from: from, to: to, in: session)
                return nil
            }
        }
    }
}
