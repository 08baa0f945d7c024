// A notification of a simulated device, and how a command's words are resolved to one.

import Bluetooth
import GameFlow
import RESP
import Texts

/// A new value of an attribute, as a notification or an indication.
struct SimulatedNotification: Hashable {
    let attribute: AttributeHandle
    let value: [UInt8]
    let isIndication: Bool
}

extension DeviceSpec {
    /// The notifications that bindings match exactly. Several events may share one.
    var notifications: [SimulatedNotification] {
        bindings.compactMap { binding in
            guard let attribute = binding.attribute, let value = binding.simulatedValue else { return nil }
            return notification(attribute, value)
        }.withoutRepeats
    }

    /// The values that the bindings match, as people write them: `0x002A pressed`; `0x0030 *` for any value.
    var triggers: [String] {
        bindings.compactMap { binding in
            let value = binding.simulatedValue.map { name(of: $0) ?? $0.hexadecimal } ?? binding.pattern.text
            return binding.attribute.map { "\($0) \(value)" }
        }.withoutRepeats
    }

    /// An indication if a binding asks for one.
    private func notification(_ attribute: AttributeHandle, _ value: [UInt8]) -> SimulatedNotification {
        let isIndication = bindings.contains { $0.trigger == .value(attribute, onlyIndications: true) }
        return SimulatedNotification(attribute: attribute, value: value, isIndication: isIndication)
    }

    /// The notification that the words of a command mean: no word, a named value, a handle, or a handle and a value.
    func notification(_ words: [String]) throws(CommandError) -> SimulatedNotification {
        switch words.count {
        case 0: return try only(notifications)
        case 1: return try notification(oneWord: words[0])
        default:
            let attribute: AttributeHandle
            do throws(BluetoothError) {
                attribute = try AttributeHandle(parsing: words[0])
            } catch {
                throw CommandError(.generic, error.description)
            }
            return notification(attribute, try value(words[1]))
        }
    }

    private func notification(oneWord word: String) throws(CommandError) -> SimulatedNotification {
        if let value = value(named: word) {
            return try only(bindings.compactMap(\.attribute).withoutRepeats.map { notification($0, value) })
        }
        // As LIST writes it. The value's name may have blanks.
        if let blank = word.firstIndex(of: " ") {
            return try notification([String(word[..<blank]), String(word[word.index(after: blank)...])])
        }
        guard let attribute = try? AttributeHandle(parsing: word) else { return try only([]) }
        return try only(notifications.filter { $0.attribute == attribute })
    }

    /// A value by name or in hexadecimal.
    func value(_ word: String) throws(CommandError) -> [UInt8] {
        if let value = value(named: word) ?? [UInt8](hexadecimal: word) { return value }
        let names = values.isEmpty ? "" : ", or \(values.map(\.name).joined(separator: ", "))"
        throw CommandError(
            .generic,
            "'\(word.shortened)' is not a value of '\(name)'; a value is pairs of hexadecimal digits, like 01FF\(names)")
    }

    private func only(_ notifications: [SimulatedNotification]) throws(CommandError) -> SimulatedNotification {
        guard notifications.count == 1 else {
            let known = triggers.isEmpty ? "" : "; its events wait for \(triggers.joined(separator: ", "))"
            let handle = bindings.lazy.compactMap(\.attribute).first?.description ?? "0x002A"
            throw CommandError(
                .generic, "'\(name)' needs a handle and a value: BLUETOOTH NOTIFY \(name) \(handle) 01\(known)")
        }
        return notifications[0]
    }
}

extension Binding {
    /// The attribute of which a new value is its trigger; nil for another trigger.
    fileprivate var attribute: AttributeHandle? { if case .value(let attribute, _) = trigger { attribute } else { nil } }

    /// The value to send: 01 where any will do, as most buttons send. Nil where the payload is read from the value.
    fileprivate var simulatedValue: [UInt8]? {
        if case .read = payload { return nil }
        return pattern == .any ? [1] : pattern.shortestValue
    }
}

// MARK: - Connections and packets of simulated devices

extension BluetoothSource {
    /// A Low Energy adapter's first handle is often this one.
    private static let firstHandle: UInt16 = 0x0040

    /// Connects and negotiates the MTU, as devices do. No effect on a connected device.
    func connect(_ device: BluetoothDevice) {
        guard device.link == nil, let link = freeLink(for: device) else { return }
        device.link = link
        send([link.connection] + link.mtuExchange)
    }

    func sendable(_ packets: () throws(BluetoothError) -> [HCIPacket]) throws(CommandError) -> [HCIPacket] {
        do throws(BluetoothError) { return try packets() } catch { throw CommandError(.generic, error.description) }
    }

    func notConnected(_ device: BluetoothDevice) -> CommandError {
        let name = device.spec.name
        let why = isConnectedInCapture(device) ? "is only connected in the replayed capture" : "is not connected"
        return CommandError(
            .notConnected, "'\(name)' \(why), so it cannot send a notification; BLUETOOTH CONNECT \(name) connects it")
    }

    /// A connection with an unused handle; there are more handles than a file may have devices.
    private func freeLink(for device: BluetoothDevice) -> SimulatedLink? {
        let taken = Set(devices.compactMap { $0.link?.handle.rawValue })
        guard let number = (Self.firstHandle...ConnectionHandle.highest).first(where: { !taken.contains($0) }) else {
            return nil
        }
        return SimulatedLink(address: device.spec.address, handle: ConnectionHandle(rawValue: number))
    }
}
