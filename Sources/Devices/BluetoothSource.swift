// The simulated Bluetooth source: devices from a file, their commands, a replayed capture, and a recording.

import Bluetooth
import Commands
import Posix
import RESP
import Timers

/// Turns what Bluetooth devices do into events, with real packets and no radio. Each action of a simulated device becomes the packets
/// that an adapter would deliver; they are recorded, decoded, and become events.
package final class BluetoothSource {
    package unowned let host: Host
    /// Logs for the operator.
    package let log: (String) -> Void
    /// In file order.
    private(set) var devices: [BluetoothDevice] = []
    private var byAddress: [BluetoothAddress: BluetoothDevice] = [:]
    /// Simulated devices and a replayed capture have a decoder each, since each numbers its own connections.
    private var live = ObservationDecoder()
    private var captured = ObservationDecoder()
    private var unknownDevices = UnknownDevices()
    private var replay: Replay?
    private var replayed = Tally()
    private var recording: CaptureRecorder?
    /// The timestamp of the instant zero, by the machine's date. In virtual time it is fixed: the same run gives the same recording.
    private lazy var timeOfZero: CaptureTime = {
        let timekeeper = host.timekeeper
        // January 1st 2000.
        if timekeeper.source is VirtualClock { return CaptureTime(microsecondsSince1970: 946_684_800_000_000) }
        let today = CaptureTime(microsecondsSince1970: TurnClock.now().wallNanoseconds / 1_000)
        return today.advanced(by: timekeeper.now.duration(to: .zero))
    }()
    private lazy var delivery = EventDelivery(to: host) { [unowned self] in log($0) }

    package init(of host: Host, log: @escaping (String) -> Void = { _ in }) {
        self.host = host
        self.log = log
    }

    // MARK: Files

    /// Opens all files together: the recording overwrites nothing unless the others are valid, and begins before any device acts.
    package func open(devices path: String, replay capture: String?, record: String?) throws(BluetoothFileError) {
        let specs = try DeviceFile.read(path)
        if let capture { try replay(capture) }
        if let record { try self.record(record) }
        replaceDevices(with: specs)
    }

    /// Reads a device file, which replaces the devices. One with the same name and address keeps its connection. An error changes
    /// nothing.
    package func load(_ path: String) throws(BluetoothFileError) {
        replaceDevices(with: try DeviceFile.read(path))
    }

    /// Removes the devices, since there is no device file left.
    package func removeDevices() {
        replaceDevices(with: [])
    }

    /// Replays a capture once the source starts.
    package func replay(_ path: String) throws(BluetoothFileError) {
        let replay = Replay(of: try CaptureFile(path), on: host.timekeeper, for: self)
        (captured, unknownDevices, replayed) = (ObservationDecoder(), UnknownDevices(), Tally())
        self.replay = replay
    }

    /// Records what the simulated devices do from now on, beginning with the open connections: a reader could not attribute values
    /// without them.
    package func record(_ path: String) throws(BluetoothFileError) {
        recording = try CaptureRecorder(path, replaying: replay?.capture.status) { [weak self] in self?.log($0) }
        for link in devices.compactMap(\.link) { record([link.connection] + link.mtuExchange) }
    }

    private func record(_ packets: [HCIPacket]) {
        let time = timeOfZero.advanced(by: Instant.zero.duration(to: host.timekeeper.now))
        for packet in packets { recording?.add(packet, at: time, atMost: host.limits.recordBytes) }
    }

    /// Writes the records of a turn, at its end.
    package func flush() { recording?.flush() }

    package func start() { replay?.begin() }

    package func stop() {
        replay?.end()
        replay = nil
        recording?.end()
        recording = nil
    }

    // MARK: Actions of simulated devices

    /// Here, or in the replayed capture.
    package func isConnected(_ device: BluetoothDevice) -> Bool {
        device.link != nil || isConnectedInCapture(device)
    }

    func isConnectedInCapture(_ device: BluetoothDevice) -> Bool {
        replay != nil && captured.isConnected(device.spec.address)
    }

    /// Records and decodes the packets, and delivers their events.
    @discardableResult
    func send(_ packets: [HCIPacket]) -> Tally {
        record(packets)
        var tally = Tally()
        for packet in packets {
            for act in live.decode(packet) { tally += deliverAction(act) ?? Tally() }
        }
        return tally
    }

    /// Nil for a device that is not in the file.
    private func deliverAction(_ act: Observation) -> Tally? {
        act.address.flatMap { byAddress[$0] }.map { delivery.deliver(act.action, of: $0) }
    }

    // MARK: Devices

    private func replaceDevices(with specs: [DeviceSpec]) {
        let earlier = devices
        for device in earlier where !specs.contains(where: { $0.isSame(as: device.spec) }) { part(from: device) }
        devices = specs.map { spec in
            let device = earlier.first { $0.spec.isSame(as: spec) } ?? BluetoothDevice(spec)
            device.spec = spec
            return device
        }
        byAddress = Dictionary(uniqueKeysWithValues: devices.map { ($0.spec.address, $0) })
        for device in devices where device.spec.isConnectedFromStart {
            if !earlier.contains(where: { $0.spec.isSame(as: device.spec) }) { connect(device) }
        }
    }

    /// Removes a device that is no longer in the file: its connection ends without an event.
    private func part(from device: BluetoothDevice) {
        byAddress[device.spec.address] = nil
        if let link = device.link { send([link.disconnection]) }
    }

    // MARK: Replay

    /// Delivers a record; returns whether it was an event for some session.
    func deliver(_ record: CaptureRecord) -> Bool {
        var tally = Tally()
        for act in captured.decode(record) {
            if let known = deliverAction(act) {
                tally += known
            } else if let sentence = unknownDevices.sentence(on: act.address) {
                log(sentence)
            }
        }
        replayed += tally
        return tally.accepted + tally.refused > 0
    }

    /// `fault` is the problem with the capture, if it was not read to its end.
    func replayDidEnd(after records: Int, _ fault: String?) {
        guard let path = replay?.capture.path else { return }
        if let fault { log("\(path) cannot be read further: \(fault)") }
        log(
            """
            the replay of \(path) is over: records \(records); events accepted \(replayed.accepted), refused \
            \(replayed.refused), for missing sessions \(replayed.noSession); repeated advertisements \
            \(replayed.repeats); devices not in the device file \(unknownDevices.count)
            """)
        replay = nil
    }
}

// MARK: - BLUETOOTH's actions on devices by name

extension BluetoothSource: SimulatedDevices {
    package var reports: [DeviceReport] { devices.map { DeviceReport($0, isConnected: isConnected($0)) } }

    package func connect(_ name: String) throws(CommandError) { connect(try device(named: name)) }

    package func disconnect(_ name: String) throws(CommandError) {
        let device = try device(named: name)
        guard let link = device.link else { return }
        device.link = nil
        send([link.disconnection])
    }

    /// Sends a new value of an attribute.
    package func notify(_ name: String, _ words: [String]) throws(CommandError) -> Int {
        let device = try device(named: name)
        let new = try device.spec.notification(words)
        guard let link = device.link else { throw notConnected(device) }
        let packets = try sendable { () throws(BluetoothError) in
            new.isIndication ? try link.indication(new.attribute, new.value) : try link.notification(new.attribute, new.value)
        }
        return send(packets).accepted
    }

    /// Broadcasts an advertisement, connected or not; without data, the file's own.
    package func advertise(_ name: String, _ value: String?) throws(CommandError) -> Int {
        let spec = try device(named: name).spec
        let data = try value.map { word throws(CommandError) in try spec.value(word) }
        if let data, !data.isEmpty, spec.advertised.part == .anything {
            throw CommandError(
                .generic,
                "'\(spec.name)' advertises nothing that could hold data; give it a 'service' or a 'company' in the device file")
        }
        return send(
            try sendable { () throws(BluetoothError) in [try spec.advertisement(data ?? spec.advertised.data)] }
        ).accepted
    }

    private func device(named name: String) throws(CommandError) -> BluetoothDevice {
        if let device = devices.first(where: { $0.spec.name == name }) { return device }
        throw .noDevice(name, devices.map(\.spec.name))
    }
}

extension DeviceReport {
    fileprivate init(_ device: BluetoothDevice, isConnected: Bool) {
        let (spec, tally) = (device.spec, device.tally)
        self.init(
            identity: [("name", spec.name), ("address", spec.address.description), ("kind", spec.kind)],
            isConnected: isConnected, notifications: spec.triggers,
            counts: [
                ("accepted", tally.accepted), ("refused", tally.refused), ("no_session", tally.noSession),
                ("repeats", tally.repeats), ("unbound", tally.unbound),
            ])
    }
}
