// Checks the files of simulated devices without replaying or recording.

import Bluetooth
import GameFlow
import Texts

extension DeviceFile {
    /// A sentence for each event that the flow of its session does not have, or that no device may send. `flow` knows the flow of a
    /// session, or nil: then any of the flows may have it.
    package static func misdirected(
        in devices: [DeviceSpec], flows: [FlowKind], flow: (String) -> FlowKind?
    ) -> [String] {
        devices.flatMap { device in
            device.bindings.compactMap { binding in
                problem(binding, flow(binding.session), flows).map {
                    "device '\(device.name)': it sends '\(binding.event)' to the session '\(binding.session)', \($0)"
                }
            }
        }.withoutRepeats
    }

    private static func problem(_ binding: Binding, _ flow: FlowKind?, _ flows: [FlowKind]) -> String? {
        let events = (flow.map { [$0] } ?? flows).flatMap(\.events)
        let named = events.filter { $0.name == binding.event }
        if named.contains(where: { $0.sources.contains(.bluetooth) }) { return nil }
        guard named.isEmpty else { return "which takes it from no device" }
        let sendable = events.filter { $0.sources.contains(.bluetooth) }.map(\.name)
        let guess = Suggestion.closest(to: binding.event, among: sendable).map { "; did you mean '\($0)'?" }
        guard let flow else { return "and no flow has that event\(guess ?? "")" }
        let advice = guess ?? "; available: \(sendable.joined(separator: ", "))"
        return "whose flow '\(flow.name)' does not have that event\(advice)"
    }
}

extension CaptureFile {
    /// Reads all of it; throws if it is no capture, or is damaged.
    package static func check(_ path: String) throws(BluetoothFileError) {
        let capture = try CaptureFile(path)
        do throws(BluetoothFileError) {
            while try capture.next() != nil {}
        } catch {
            throw BluetoothFileError("\(path) cannot be replayed: \(error)")
        }
    }

    /// Whether a recording could be written there, while `capture` is replayed.
    package static func checkRecording(to path: String, replaying capture: String?) throws(BluetoothFileError) {
        // A capture that cannot be read is reported separately.
        try CaptureRecorder.check(path, replaying: capture.flatMap { try? CaptureFile($0) }?.status)
    }
}
