// A session as a user interface shows it, with remaining times that run down here.

import GameFlow

/// Everything that a user interface needs of a session.
public struct SessionView: Sendable, Equatable {
    /// The session's name.
    public let session: String
    /// The name of its flow.
    public let flow: String
    /// The name of its state.
    public let state: String
    /// The session's life: a session of the same name that begins later has another one.
    public let life: Int
    /// The number of changes of its state.
    public let version: Int
    /// The state's data.
    public let data: JSON
    /// The heading.
    public let title: String
    /// The text below the heading.
    public let text: String
    /// Overall progress from 0 to 1; nil where that means nothing.
    public let progress: Double?
    /// Whether the session is paused.
    public let isPaused: Bool
    /// Whether the session has ended.
    public let isFinal: Bool
    /// The events that can be sent now.
    public let actions: [Action]
    /// The timers, in order of their making.
    public let timers: [Timer]
    /// Events that wait for a state which accepts them.
    public let postponed: [Postponed]

    /// Whether they show the same: the data of one version of a life differ in remaining times alone, and timers that run on are the same.
    public static func == (left: SessionView, right: SessionView) -> Bool {
        left.session == right.session && left.flow == right.flow && left.state == right.state && left.life == right.life
            && left.version == right.version && left.title == right.title && left.text == right.text
            && left.progress == right.progress && left.isPaused == right.isPaused && left.isFinal == right.isFinal
            && left.actions == right.actions && left.timers == right.timers && left.postponed == right.postponed
    }

    /// An event that can be sent.
    public struct Action: Sendable, Equatable {
        /// The event's name.
        public let event: String
        /// Its name for people.
        public let label: String
        /// Its payload as JSON Schema, with the field's name; nil if it has none.
        public let payload: JSON?
        /// The sources that may send it, if `ui` is not among them; nil otherwise.
        public let sources: [String]?
    }

    /// A timer of the session.
    public struct Timer: Sendable, Equatable {
        /// The timer's name, for commands.
        public let name: String
        /// Its name for people.
        public let label: String
        /// The event that it sends.
        public let event: String?
        /// How long a countdown lasts.
        public let length: Duration
        /// How often a pendulum swings; nil for a countdown.
        public let period: Duration?
        /// Whether it is paused, alone or with its session.
        public let isPaused: Bool
        /// Changes whenever the timer is restarted, stopped or extended.
        public let generation: Int
        private let left: Duration
        /// When its view came.
        package let received: ContinuousClock.Instant

        /// A timer that runs on is the same in each view of it.
        public static func == (left: Timer, right: Timer) -> Bool {
            left.name == right.name && left.label == right.label && left.event == right.event && left.length == right.length
                && left.period == right.period && left.isPaused == right.isPaused && left.generation == right.generation
                && (!left.isPaused || left.left == right.left)
        }

        /// The remaining time now. It runs down here, and needs no request.
        public var remaining: Duration { remaining(at: .now) }

        /// The remaining time at an instant. A pendulum swings on.
        public func remaining(at instant: ContinuousClock.Instant) -> Duration {
            if isPaused { return left }
            let rest = left - max(.zero, received.duration(to: instant))
            guard rest < .zero, let period, period > .zero else { return max(.zero, rest) }
            let swings = ((.zero - rest) / period).rounded(.down) + 1
            return rest + period * swings
        }
    }

    /// An event that waits.
    public struct Postponed: Sendable, Equatable {
        /// Its id, for `withdraw`.
        public let id: Int
        /// The event's name.
        public let event: String
        /// Its payload.
        public let payload: JSON?
        /// How long it had waited when the view was made.
        public let age: Duration
    }
}

extension SessionView {
    /// Nil if it is not a view.
    package init?(_ json: JSON, received: ContinuousClock.Instant = .now) {
        guard let session = json["session"]?.text, let flow = json["flow"]?.text, let state = json["state"]?.text,
            let life = json["life"]?.integer, let version = json["version"]?.integer
        else { return nil }
        (self.session, self.flow, self.state, self.life, self.version) = (session, flow, state, life, version)
        (data, title, text) = (json["data"] ?? .null, json["title"]?.text ?? "", json["text"]?.text ?? "")
        progress = json["progress"]?.double
        (isPaused, isFinal) = (json["paused"]?.boolean ?? false, json["final"]?.boolean ?? false)
        let isPaused = isPaused
        actions = json["actions"].elements.compactMap(Action.init)
        timers = json["timers"].elements.compactMap { Timer($0, isPaused, received) }
        postponed = json["postponed"].elements.compactMap(Postponed.init)
    }
}

extension SessionView.Action {
    fileprivate init?(_ json: JSON) {
        guard let event = json["event"]?.text else { return nil }
        self.init(
            event: event, label: json["label"]?.text ?? event, payload: json["payload"].flatMap { $0 == .null ? nil : $0 },
            sources: json["sources"]?.elements.compactMap(\.text))
    }
}

extension SessionView.Timer {
    fileprivate init?(_ json: JSON, _ isFrozen: Bool, _ received: ContinuousClock.Instant) {
        guard let name = json["name"]?.text, let left = json["remaining_ms"]?.integer else { return nil }
        self.init(
            name: name, label: json["label"]?.text ?? name, event: json["event"]?.text,
            length: .milliseconds(json["length_ms"]?.integer ?? 0),
            period: json["period_ms"]?.integer.map { .milliseconds($0) },
            isPaused: isFrozen || json["paused"]?.boolean ?? false, generation: json["generation"]?.integer ?? 0,
            left: .milliseconds(left), received: received)
    }
}

extension SessionView.Postponed {
    fileprivate init?(_ json: JSON) {
        guard let id = json["id"]?.integer, let event = json["event"]?.text else { return nil }
        self.init(
            id: id, event: event, payload: json["payload"].flatMap { $0 == .null ? nil : $0 },
            age: .milliseconds(json["age_ms"]?.integer ?? 0))
    }
}

/// An entry of a session's history.
public struct SessionEvent: Sendable, Equatable {
    /// What: begun, taken, postponed, waiting, ignored, refused, forced, paused, resumed, extended, dropped, withdrawn; `gap` where events are missing that
    /// the daemon no longer has.
    public let what: String
    /// Its number in the session's life.
    public let number: Int?
    /// How often it happened: repeated ticks and refusals are one entry, also if others of them lie between.
    public let times: Int
    /// The number of the last time. It can be lower than that of the event before.
    public let lastNumber: Int?
    /// The session's life.
    public let life: Int?
    /// The event's name, or the command.
    public let event: String?
    /// The event's payload.
    public let payload: JSON?
    /// The source of the event.
    public let source: String?
    /// The timer that sent it.
    public let timer: String?
    /// The sender.
    public let actor: String?
    /// The state that it leaves.
    public let from: String?
    /// The state that it leads to.
    public let to: String?
    /// The number of changes of the state, this one included.
    public let version: Int?
    /// Of a refusal: its code.
    public let code: String?
    /// Of a refusal: the reason, for people.
    public let refused: String?
    /// Of a refusal: the events that were accepted.
    public let accepted: [String]

    init?(_ json: JSON) {
        guard let what = json["what"]?.text else { return nil }
        self.what = what
        (number, life, version) = (json["seq"]?.integer, json["life"]?.integer, json["version"]?.integer)
        (times, lastNumber) = (json["times"]?.integer ?? 1, json["last_seq"]?.integer)
        (event, source, timer) = (json["event"]?.text, json["source"]?.text, json["timer"]?.text)
        (actor, from, to) = (json["actor"]?.text, json["from"]?.text, json["to"]?.text)
        (code, refused) = (json["code"]?.text, json["refused"]?.text)
        payload = json["payload"].flatMap { $0 == .null ? nil : $0 }
        accepted = json["accepted"].elements.compactMap(\.text)
    }
}

extension JSON? {
    fileprivate var elements: [JSON] { self?.elements ?? [] }
}
