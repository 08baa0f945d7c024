// Delivers the actions of devices as events of sessions.

import Bluetooth
import Commands
import GameFlow

final class EventDelivery {
    private unowned let host: Host
    private let log: (String) -> Void
    /// Missing sessions, each logged once until it exists.
    private var missing: Set<String> = []
    /// Whether the log says that events are lost now: a sensor can send a hundred in a second.
    private var hasLoggedLoss = false

    init(to host: Host, log: @escaping (String) -> Void) {
        self.host = host
        self.log = log
    }

    /// Sends the events that are bound to an action, in file order.
    func deliver(_ action: Observation.Action, of device: BluetoothDevice) -> Tally {
        var tally = Tally()
        defer { device.tally += tally }
        let matches = device.matches(action)
        guard !matches.isEmpty else {
            tally.unbound = action == .connected || action == .disconnected ? 0 : 1
            return tally
        }
        if case .advertised(_, let isScanResponse) = action,
            device.isRepeat(matches, isScanResponse: isScanResponse, at: host.timekeeper.now)
        {
            tally.repeats = 1
            return tally
        }
        for match in matches { tally += deliver(match, of: device) }
        // Each event takes as long as a request.
        host.turns?.charge(pieces: matches.count)
        if case .advertised(_, let isScanResponse) = action, tally.noSession == matches.count {
            device.forgetAdvertisement(isScanResponse: isScanResponse)
        }
        return tally
    }

    private func deliver(_ match: BluetoothDevice.Match, of device: BluetoothDevice) -> Tally {
        let binding = match.binding
        guard let session = host.sessions.find(binding.session) else {
            if missing.insert(binding.session).inserted {
                let name = binding.session
                log("'\(device.spec.name)' sends '\(binding.event)' to the session '\(name)', which \(absence(of: name))")
            }
            return Tally(noSession: 1)
        }
        missing.remove(binding.session)
        guard canChange(by: binding, of: device) else { return Tally(refused: 1) }
        host.sessionWillReceive(session.machine)
        let actor = host.sessions.actors.number(of: device.spec.name)
        let payload: Payload?
        do throws(RefusalFacts) {
            payload = try binding.payload.payload(from: match.value).map(Payload.init)
        } catch {
            session.record(Refused(event: binding.event, error), carrying: nil, from: .bluetooth, by: actor)
            return Tally(refused: 1)
        }
        do throws(Refusal) {
            return switch try session.machine.send(named: binding.event, payload: payload, from: .bluetooth, by: actor) {
            case .taken, .postponed, .queued, .waiting: Tally(accepted: 1)
            case .ignored: Tally(refused: 1)
            }
        } catch {
            session.record(session.machine.refused(binding.event, error), carrying: payload, from: .bluetooth, by: actor)
            return Tally(refused: 1)
        }
    }

    /// While the journal fails nothing may change, not even the history.
    private func canChange(by binding: Binding, of device: BluetoothDevice) -> Bool {
        let unavailability = host.unavailability
        if let unavailability, !hasLoggedLoss {
            let lost = "'\(device.spec.name)' could not send an event to '\(binding.session)': \(unavailability.sentence)"
            log("\(lost); more lost events are not logged")
        }
        hasLoggedLoss = unavailability != nil
        return unavailability == nil
    }

    /// Why a session is not here, and what to do.
    private func absence(of name: String) -> String {
        guard let reason = host.whyElsewhere(name) else { return "does not exist; \(host.sessions.adviceToCreate(name))" }
        return "is not at this node (\(reason)); give its node the device file, too: devices reach sessions of their own node"
    }
}

/// Counts what came of the actions of devices.
struct Tally: Equatable {
    /// Events that sessions accepted.
    var accepted = 0
    /// Events that sessions refused or ignored; the session's history has the reason.
    var refused = 0
    /// Events for sessions that do not exist.
    var noSession = 0
    /// Repeated advertisements.
    var repeats = 0
    /// Packets that no event is bound to.
    var unbound = 0

    static func += (left: inout Tally, right: Tally) {
        left.accepted += right.accepted
        left.refused += right.refused
        left.noSession += right.noSession
        left.repeats += right.repeats
        left.unbound += right.unbound
    }
}

// MARK: - A device's current state: its connection, its last advertisement, its counts

package final class BluetoothDevice {
    /// Another one of the same name and address replaces it when the device file is read again.
    var spec: DeviceSpec
    /// Nil while it is not connected here; a replayed capture has its own connections.
    var link: SimulatedLink?
    var tally = Tally()
    /// The last advertisement, and the last scan response.
    private var seen: [Bool: SeenAdvertisement] = [:]

    /// The matches of an advertisement, and when it was last heard.
    private struct SeenAdvertisement {
        let saying: [Match]
        let at: Instant
    }

    init(_ spec: DeviceSpec) {
        self.spec = spec
    }

    /// A binding that matches an action, and the action's value.
    struct Match: Equatable {
        let binding: Binding
        let value: [UInt8]
        /// The whole advertisement, if it is bound to being heard at all.
        var structures: [ADStructure] = []
    }

    func matches(_ action: Observation.Action) -> [Match] {
        spec.bindings.compactMap { binding in
            switch (binding.trigger, action) {
            case (.connected, .connected), (.disconnected, .disconnected):
                return Match(binding: binding, value: [])
            case (.value(let mine, let onlyIndications), .notified(let attribute, let value, let isIndication)):
                guard mine == attribute, isIndication || !onlyIndications, binding.pattern.matches(value) else { return nil }
                return Match(binding: binding, value: value)
            case (.advertised(let part), .advertised(let structures, _)):
                guard let value = part.value(in: structures), binding.pattern.matches(value) else { return nil }
                return Match(binding: binding, value: value, structures: part == .anything ? structures : [])
            default:
                return nil
            }
        }
    }

    /// Whether it repeats the last advertisement, heard less than the file's `silence` ago. Scan responses are compared separately,
    /// since they alternate with advertisements.
    func isRepeat(_ saying: [Match], isScanResponse: Bool, at now: Instant) -> Bool {
        let last = seen.updateValue(SeenAdvertisement(saying: saying, at: now), forKey: isScanResponse)
        guard let last, last.saying == saying else { return false }
        return last.at.duration(to: now) < spec.silence
    }

    /// No session has got it: the next one counts.
    func forgetAdvertisement(isScanResponse: Bool) { seen[isScanResponse] = nil }
}
