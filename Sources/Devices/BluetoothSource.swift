// The simulated Bluetooth source: devices from a file, what commands have them do, a capture that happens again, and a recording.

import Bluetooth
import Commands

/// Events from Bluetooth devices, with real packets and no radio. Everything that a simulated device does is made into the packets
/// that an adapter would have passed, recorded, and read back; what is read becomes events.
package final class BluetoothSource {
    package unowned let host: Host
    /// Where it says what its operator should know.
    package var log: (String) -> Void = { _ in }
    /// In the order of the file.
    private(set) var devices: [BluetoothDevice] = []
    package private(set) var path: String?
    private var byAddress: [BluetoothAddress: BluetoothDevice] = [:]
    private let live = PacketStream()
    private var captured = PacketStream()
    private var strangers = Strangers()
    private var replay: Replay?
    private var replayed = Tally()
    private var recording: Recording?
    private var flushes = false
    private lazy var captureClock = CaptureClock(host.timekeeper)
    private lazy var delivery = EventDelivery(to: host) { [unowned self] in log($0) }

    package init(of host: Host) {
        self.host = host
    }

    // MARK: What there is to do

    /// Opens all files at once: nothing is overwritten before the others are known to be right, and the recording begins before
    /// any device does something.
    package func open(devices path: String, replay capture: String?, record: String?) throws(BluetoothFileError) {
        let specs = try DeviceFile.read(path)
        if let capture { try replay(capture) }
        if let record { try self.record(record) }
        self.path = path
        replaceDevices(with: specs)
    }

    /// Reads a device file. Its devices replace those that there were, but for those with the same name and address, which stay
    /// connected or not as they are. With an error, nothing changes.
    package func load(_ path: String) throws(BluetoothFileError) {
        let specs = try DeviceFile.read(path)
        self.path = path
        replaceDevices(with: specs)
    }

    /// Reads the device file again.
    package func reload() throws(BluetoothFileError) {
        if let path { try load(path) }
    }

    /// Has a capture happen again, from the start of the source on.
    package func replay(_ path: String) throws(BluetoothFileError) {
        let replay = Replay(of: try CaptureFile(path), on: host.timekeeper)
        replay.log = { [unowned self] in log($0) }
        replay.hear = { [unowned self] in hear($0) }
        replay.whenOver = { [unowned self] in replayIsOver($0) }
        (captured, strangers, replayed) = (PacketStream(), Strangers(), Tally())
        self.replay = replay
    }

    /// Records what the simulated devices do from now on. It begins with the connections that there are, or nobody who reads it
    /// would know whose values it holds.
    package func record(_ path: String) throws(BluetoothFileError) {
        recording = try Recording(path, replaying: replay?.capture.identity) { [weak self] in self?.log($0) }
        for link in devices.compactMap(\.link) { record([link.connection] + link.mtuExchange) }
    }

    private func record(_ packets: [HCIPacket]) {
        let time = captureClock.time(at: host.timekeeper.now)
        for packet in packets { recording?.add(packet, at: time) }
    }

    /// Writes what has been recorded in this turn.
    package func flush() { recording?.flush() }

    /// What is recorded is written at the end of every turn: `atEndOfTurn` sees to that.
    package func start(_ atEndOfTurn: (@escaping () -> Void) -> Void) {
        if !flushes { atEndOfTurn { [weak self] in self?.flush() } }
        flushes = true
        replay?.begin()
    }

    package func stop() {
        replay?.end()
        replay = nil
        recording?.end()
        recording = nil
    }

    // MARK: What simulated devices do

    /// Here, or in the capture that is replayed.
    package func isConnected(_ device: BluetoothDevice) -> Bool {
        device.link != nil || isConnectedInCapture(device)
    }

    func isConnectedInCapture(_ device: BluetoothDevice) -> Bool {
        replay != nil && captured.isConnected(device.spec.address)
    }

    /// The packets are recorded, read, and become events.
    @discardableResult
    func send(_ packets: [HCIPacket]) -> Tally {
        record(packets)
        let time = captureClock.time(at: host.timekeeper.now)
        var tally = Tally()
        for packet in packets {
            for act in live.acts(in: packet, at: time, isKnown: isKnown) { tally += take(act) ?? Tally() }
        }
        return tally
    }

    private func isKnown(_ address: BluetoothAddress) -> Bool { byAddress[address] != nil }

    /// Nil if it is no device of the file.
    private func take(_ act: PacketStream.Act) -> Tally? {
        act.address.flatMap { byAddress[$0] }.map { delivery.deliver(act.deed, of: $0) }
    }

    // MARK: The devices of a file

    private func replaceDevices(with specs: [DeviceSpec]) {
        let earlier = devices
        for device in earlier where !specs.contains(where: { $0.isSame(as: device.spec) }) { part(from: device) }
        devices = specs.map { spec in
            let same = earlier.first { $0.spec.isSame(as: spec) }
            return same.map { BluetoothDevice(spec, goingOnFrom: $0) } ?? BluetoothDevice(spec)
        }
        byAddress = Dictionary(uniqueKeysWithValues: devices.map { ($0.spec.address, $0) })
        for device in devices where device.spec.isConnectedFromStart {
            if !earlier.contains(where: { $0.spec.isSame(as: device.spec) }) { connect(device) }
        }
    }

    /// The device is in the file no more: its connection ends, and is no event.
    private func part(from device: BluetoothDevice) {
        byAddress[device.spec.address] = nil
        if let link = device.link { send([link.disconnection()]) }
        live.forget(device.spec.address)
        captured.forget(device.spec.address)
    }

    // MARK: The capture that is replayed

    /// Whether it was an event for some session.
    private func hear(_ record: CaptureRecord) -> Bool {
        var tally = Tally()
        for act in captured.acts(in: record, isKnown: isKnown) {
            if let known = take(act) {
                tally += known
            } else if let sentence = strangers.sentence(on: act.address) {
                log(sentence)
            }
        }
        replayed += tally
        return tally.accepted + tally.refused > 0
    }

    private func replayIsOver(_ summary: Replay.Summary) {
        guard let path = replay?.capture.path else { return }
        if let fault = summary.fault { log("\(path) cannot be read further: \(fault)") }
        log(
            """
            the replay of \(path) is over: records \(summary.records); events taken \(replayed.accepted), refused \
            \(replayed.refused), for sessions that there were not \(replayed.noSession); repeated advertisements \
            \(replayed.repeats); devices that are not in the device file \(strangers.count)
            """)
        replay = nil
    }
}
