// Effects that a session's steps request: messages to other sessions, child sessions, events for subscribers, lines for the log. A machine only hands
// the outbox over once a step is committed; the machine's watcher carries it out.

import Texts

/// Effects that committed steps of a session request, until they are done. A reference, so that an effect that is done leaves the state that carries
/// it.
///
/// A transition makes a new one that begins with the old state's remaining effects, `Outbox(effects: old.effects + …)`. A refused step has then
/// requested nothing.
public final class Outbox {
    /// The effects to carry out, in order. The state saves them until they are done: a crash does not lose or double them.
    public var effects: [Effect] {
        get { done == 0 ? listed : Array(listed[done...]) }
        _modify {
            removeDone()
            yield &listed
        }
    }
    private var listed: [Effect]
    /// How many of `listed` are done: they leave many at a time, since each would move all that follow.
    private var done = 0
    /// Events for subscribers, sent once; not saved.
    public var emissions: [Emission]
    /// A line each in the daemon's log; not saved.
    public var logs: [String]

    /// Asks for these.
    public init(effects: [Effect] = [], emissions: [Emission] = [], logs: [String] = []) {
        listed = effects
        self.emissions = emissions
        self.logs = logs
    }

    /// Whether it requests nothing, or everything is done.
    public var isEmpty: Bool { effectCount == 0 && emissions.isEmpty && logs.isEmpty }

    /// How many effects are to be done.
    package var effectCount: Int { listed.count - done }

    /// The effect that is done next.
    package var nextEffect: Effect? { done < listed.count ? listed[done] : nil }

    /// Whether one of the effects that are to be done, without the next `skipped`, is meant. Unlike `effects` it copies no list.
    package func contains(without skipped: Int = 0, where isMeant: (Effect) -> Bool) -> Bool {
        listed.dropFirst(done + skipped).contains(where: isMeant)
    }

    /// The next effect is done.
    package func completeEffect() {
        done += 1
        if done > listed.count / 2 { removeDone() }
    }

    private func removeDone() {
        guard done > 0 else { return }
        listed.removeFirst(done)
        done = 0
    }
}

/// Something that a session asks for, and that is done exactly once.
public enum Effect: Sendable, Equatable {
    /// Sends an event to the session of that name, from the source `orchestrator`.
    case send(event: String, data: JSON?, to: String)
    /// Begins a session of a flow, with this context. It is the asking session's child, and is called by its name: `room/child`.
    case begin(child: String, flow: String, context: JSON)
    /// Drops a child and all sessions that the child has begun.
    case drop(child: String)
}

/// An event for subscribers of a session, beside its changes.
public struct Emission: Sendable {
    /// The event's name.
    public let event: String
    /// The data of the event; nil if it has none.
    public let data: JSON?

    /// An event for subscribers.
    public init(event: String, data: JSON? = nil) {
        self.event = event
        self.data = data
    }
}

// MARK: - Effects in saved states

extension Effect {
    /// The effect as a state's data have it.
    public var json: JSON {
        switch self {
        case .send(let event, let data, let name):
            .object(having: ["send": .string(event), "to": .string(name), "data": data])
        case .begin(let child, let flow, let context):
            ["begin": .string(child), "flow": .string(flow), "context": context]
        case .drop(let child): ["drop": .string(child)]
        }
    }

    /// Reads it back.
    public init(json: JSON) throws {
        if let event = json["send"]?.text, let name = json["to"]?.text {
            self = .send(event: event, data: json["data"], to: name)
        } else if let child = json["begin"]?.text, let flow = json["flow"]?.text {
            self = .begin(child: child, flow: flow, context: json["context"] ?? .null)
        } else if let child = json["drop"]?.text {
            self = .drop(child: child)
        } else {
            throw RestorationError(
                "an effect is {\"send\":event,\"to\":session}, {\"begin\":child,\"flow\":name,\"context\":{}} or {\"drop\":child}, and not \(json.description.shortened)"
            )
        }
    }
}

extension Outbox: Codable {
    /// Saves the effects. The rest is delivered at once, and not again after a restart.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for effect in effects { try container.encode(effect.json) }
    }

    /// Restores the effects that were left.
    public convenience init(from decoder: any Decoder) throws {
        guard let decoder = decoder as? StateDecoder else {
            throw RestorationError("effects can only be restored by a machine")
        }
        let list = decoder.readAll() ?? .array([])
        guard case .array(let effects) = list else { throw RestorationError("effects are a list") }
        self.init(effects: try effects.map { try Effect(json: $0) })
    }
}
