// A live session for views of the main actor.

import Observation

/// Mirrors a session on the main actor, where views observe it.
@MainActor
@Observable
public final class LiveModel<F: TypedFlow> {
    /// Everything that a user interface shows, after the newest change.
    public private(set) var view: ViewModel
    /// The refusal of the last event that was sent through this model; nil if it was not refused.
    public private(set) var refusal: EventRefusal?
    private let session: LiveSession<F>
    @ObservationIgnored private var following: Task<Void, Never>?

    /// Follows the session until this model is released.
    public init(_ session: LiveSession<F>) async {
        self.session = session
        view = await session.view
        let views = await session.views
        following = Task { [weak self] in
            for await view in views { self?.view = view }
        }
    }

    isolated deinit { following?.cancel() }

    /// Sends an event, and shows its refusal.
    public func send(_ event: F.Event) async {
        do {
            try await session.send(event)
            refusal = nil
        } catch {
            refusal = error
        }
        view = await session.view
    }
}
