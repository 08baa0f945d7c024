// Delivers the actions of devices as events of sessions.

import Commands
import GameFlow

final class EventDelivery {
    private unowned let host: Host
    private let log: (String) -> Void
    /// Missing sessions, each logged once.
    private var missing: Set<String> = []

    init(to host: Host, log: @escaping (String) -> Void) {
        self.host = host
        self.log = log
    }

    /// Sends the events that are bound to an action, in file order.
    func deliver(_ deed: PacketStream.Action, of device: BluetoothDevice) -> Tally {
        var tally = Tally()
        defer { device.tally += tally }
        let matches = device.matches(deed)
        guard !matches.isEmpty else {
            tally.unbound = deed.saysSomething ? 1 : 0
            return tally
        }
        if case .advertised(_, let isScanResponse) = deed,
            device.isRepeat(matches, isScanResponse: isScanResponse, at: host.timekeeper.now)
        {
            tally.repeats = 1
            return tally
        }
        for match in matches { tally += deliver(match, of: device) }
        return tally
    }

    private func deliver(_ match: BluetoothDevice.Match, of device: BluetoothDevice) -> Tally {
        let binding = match.binding
        guard let session = host.sessions.find(binding.session) else {
            if missing.insert(binding.session).inserted {
                log(
                    "'\(device.spec.name)' sends '\(binding.event)' to the session '\(binding.session)', which does not exist; NEW \(binding.session) FLOW creates one"
                )
            }
            return Tally(noSession: 1)
        }
        // While the journal fails nothing may change, not even the history.
        if let trouble = host.unavailability {
            log("'\(device.spec.name)' could not send an event to '\(binding.session)': \(trouble.sentence)")
            return Tally(refused: 1)
        }
        var payload: Payload?
        let actor = host.sessions.actors.number(of: device.spec.name)
        do throws(Refusal) {
            payload = try Self.payload(match)
            return switch try session.machine.send(named: binding.event, payload: payload, from: .bluetooth, by: actor) {
            case .taken, .postponed, .queued, .waiting: Tally(accepted: 1)
            case .ignored: Tally(refused: 1)
            }
        } catch {
            session.record(error, of: binding.event, carrying: payload, from: .bluetooth, by: actor)
            return Tally(refused: 1)
        }
    }

    private static func payload(_ match: BluetoothDevice.Match) throws(Refusal) -> Payload? {
        do throws(PayloadRule.Unreadable) {
            return try match.binding.payload.payload(from: match.value).map(Payload.init)
        } catch {
            throw .badEvent(error.sentence)
        }
    }
}
