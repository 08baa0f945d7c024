// The contents of a device file.

import Bluetooth
import GameFlow
import Glibc
import Posix

/// One device, and which of its actions become events.
package struct DeviceSpec: Equatable {
    let name: String
    let address: BluetoothAddress
    /// Shown to people: a button, a beacon, a sensor, or anything else.
    let kind: String
    /// Whether it is connected as soon as the file is loaded.
    let isConnectedFromStart: Bool
    /// How long an advertisement must be silent before it counts again.
    let silence: Duration
    let values: [NamedValue]
    let advertised: Advertised
    let bindings: [Binding]

    /// Whether it is the same device, even if the rest of its specification has changed.
    func isSame(as other: DeviceSpec) -> Bool { name == other.name && address == other.address }

    func value(named name: String) -> [UInt8]? { values.first { $0.name == name }?.bytes }
    func name(of value: [UInt8]) -> String? { values.first { $0.bytes == value }?.name }
}

/// A named value: `pressed` for `01`.
struct NamedValue: Equatable {
    let name: String
    let bytes: [UInt8]
}

/// The advertisement of a simulated device.
struct Advertised: Equatable {
    let part: AdvertisedPart
    let data: [UInt8]
}

/// The part of an advertisement that matters.
enum AdvertisedPart: Equatable {
    /// Being heard at all.
    case anything
    case service(ServiceUUID)
    case company(UInt16)
}

/// Binds a trigger to an event of a session.
struct Binding: Equatable {
    enum Trigger: Equatable {
        case connected, disconnected
        /// An attribute's new value; an indication is confirmed by the host.
        case value(AttributeHandle, onlyIndications: Bool)
        case advertised(AdvertisedPart)
    }

    let trigger: Trigger
    let pattern: ValuePattern
    let session: String
    let event: String
    let payload: PayloadRule
}

// MARK: - The advertisements of simulated devices, as they go over the air

extension DeviceSpec {
    private static let flags = ADStructure.flags(0x06)  // general discoverable; Low Energy only

    /// Its advertisement with this data: flags, the advertised part, and as much of its name as fits.
    func advertisement(_ data: [UInt8]) throws(BluetoothError) -> HCIPacket {
        var structures = [Self.flags]
        if let given = Self.structure(advertised.part, data) { structures.append(given) }
        let room = HCIPacket.maxAdvertisementLength - structures.reduce(0) { $0 + $1.byteCount } - 2
        let shown = name.beginning(byteCount: room)
        if !shown.isEmpty { structures.append(.name(shown, isComplete: shown == name)) }
        let advertisingKind: AdvertisingKind = kind == "beacon" ? .nonConnectable : .connectable
        return try HCIPacket.advertisement(from: address, advertisingKind, structures)
    }

    private static func structure(_ part: AdvertisedPart, _ data: [UInt8]) -> ADStructure? {
        switch part {
        case .anything: nil
        case .service(let service): data.isEmpty ? .services([service], isComplete: true) : .serviceData(service, data)
        case .company(let company): .manufacturerData(company: company, data)
        }
    }
}

extension AdvertisedPart {
    /// The data of this part in an advertisement; empty if it is only listed, nil if it is absent.
    func value(in structures: [ADStructure]) -> [UInt8]? {
        let data = structures.lazy.compactMap { structure -> [UInt8]? in
            switch (self, structure) {
            case (.service(let mine), .serviceData(let service, let data)) where service == mine: data
            case (.company(let mine), .manufacturerData(let company, let data)) where company == mine: data
            default: nil
            }
        }
        return data.first ?? (self == .anything || structures.contains(where: lists) ? [] : nil)
    }

    private func lists(_ structure: ADStructure) -> Bool {
        if case (.service(let mine), .services(let services, _)) = (self, structure) { services.contains(mine) } else { false }
    }
}

extension String {
    /// The longest prefix that fits into `byteCount` bytes.
    fileprivate func beginning(byteCount: Int) -> String {
        var text = self
        while text.utf8.count > max(0, byteCount) { text.removeLast() }
        return text
    }
}

// MARK: - Reads one device from the device file.

extension DeviceSpec {
    private static let maxEvents = 100

    /// Nil if something is wrong; the problems are reported. `silence` is the file's default.
    init?(_ json: JSON, number: Int, silence: Duration, _ problems: Problems) {
        let before = problems.sentences.count
        let fields = FieldReader(json, at: "device \(number)", problems)
        defer { fields.finish() }
        let name = fields.required("name", like: "\"bell\"", FieldValue.name)
        if let name { fields.location = "device '\(name)'" }
        let address = fields.required("address", like: "\"C0:FF:EE:00:00:01\"", FieldValue.address)
        let kind = fields.optional("kind", FieldValue.name)
        let isConnected = fields.optional("connected", FieldValue.boolean)
        let ownSilence = fields.optional("silence", FieldValue.duration)
        let values = fields.optional("values", FieldValue.values) ?? []
        let bindings = Self.bindings(values, fields)
        let advertised = Self.advertised(bindings, values, fields)
        guard let name, let address, problems.sentences.count == before else { return nil }
        self.init(
            name: name, address: address, kind: kind ?? "device", isConnectedFromStart: isConnected ?? false,
            silence: ownSilence ?? silence, values: values, advertised: advertised, bindings: bindings)
        guard json["advertises"] != nil else { return }
        do throws(BluetoothError) {
            _ = try advertisement(self.advertised.data)
        } catch {
            problems.record(at: fields.location, "advertises: \(error)")
        }
    }

    private static func bindings(_ values: [NamedValue], _ fields: FieldReader) -> [Binding] {
        let events = fields.optional("events", FieldValue.list) ?? []
        if events.count > maxEvents {
            fields.problems.record(at: fields.location, "there are \(events.count) events; a device has \(maxEvents) at most")
        }
        return events.prefix(maxEvents).enumerated().compactMap { index, json in
            Binding(json, of: values, at: "\(fields.location), event \(index + 1)", fields.problems)
        }
    }

    /// Its default advertisement: the file's, or else one that its first binding matches.
    private static func advertised(_ bindings: [Binding], _ values: [NamedValue], _ fields: FieldReader) -> Advertised {
        let given = fields.optional("advertises") { json throws(FieldProblem) in
            let inner = FieldReader(json, at: "\(fields.location), advertises", fields.problems)
            let part = AdvertisedPart(inner) ?? .anything
            let data = inner.optional("data") { json throws(FieldProblem) in
                if let named = values.first(where: { $0.name == json.text }) { return named.bytes }
                return try FieldValue.bytes(json)
            }
            if part == .anything, data != nil {
                inner.problems.record(at: inner.location, "'data' needs a 'service' or a 'company'")
            }
            inner.finish()
            return Advertised(part: part, data: data ?? [])
        }
        return given ?? expected(bindings) ?? Advertised(part: .anything, data: [])
    }

    private static func expected(_ bindings: [Binding]) -> Advertised? {
        for binding in bindings {
            if case .advertised(let part) = binding.trigger {
                return Advertised(part: part, data: binding.pattern.bytes.map { $0 ?? 0 })
            }
        }
        return nil
    }
}

// MARK: - Reads a device file: a list of devices, in JSON written by hand.

package enum DeviceFile {
    private static let maxBytes = 4 << 20
    private static let maxDevices = 1_000
    /// The default `silence`: how long a beacon must be silent before it counts again.
    private static let usualSilence = Duration.seconds(10)

    package static func read(_ path: String) throws(BluetoothFileError) -> [DeviceSpec] {
        try devices(parse(contents(path), path), path)
    }

    private static func parse(_ bytes: [UInt8], _ path: String) throws(BluetoothFileError) -> JSON {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw BluetoothFileError("\(path) is not UTF-8 text")
        }
        do throws(JSONError) {
            return try JSON(parsing: text)
        } catch {
            let place = TextPositions(bytes)[error.offset]
            throw BluetoothFileError("\(path), line \(place.line), column \(place.column): \(error.problem)")
        }
    }

    private static func devices(_ json: JSON, _ path: String) throws(BluetoothFileError) -> [DeviceSpec] {
        let problems = Problems()
        let fields = FieldReader(json, at: "", problems)
        let silence = fields.optional("silence", FieldValue.duration)
        let list = fields.required("devices", like: "[…]", FieldValue.list) ?? []
        if list.count > maxDevices {
            problems.record(at: "", "there are \(list.count) devices; a file has \(maxDevices) at most")
        }
        let devices = list.prefix(maxDevices).enumerated().compactMap { index, json in
            DeviceSpec(json, number: index + 1, silence: silence ?? usualSilence, problems)
        }
        reportDuplicates(in: devices, problems)
        fields.finish()
        guard problems.sentences.isEmpty else { throw error(path, problems.sentences) }
        return devices
    }

    private static func reportDuplicates(in devices: [DeviceSpec], _ problems: Problems) {
        for (index, device) in devices.enumerated() {
            let earlier = devices[..<index]
            if earlier.contains(where: { $0.name == device.name }) {
                problems.record(at: "device '\(device.name)'", "there are two of this name")
            }
            if let other = earlier.first(where: { $0.address == device.address }) {
                problems.record(at: "device '\(device.name)'", "it has the same address as '\(other.name)', \(device.address)")
            }
        }
    }

    private static func error(_ path: String, _ sentences: [String]) -> BluetoothFileError {
        guard sentences.count > 1 else { return BluetoothFileError("\(path): \(sentences[0])") }
        let most = 50
        let more = sentences.count > most ? ["and \(sentences.count - most) more"] : []
        return BluetoothFileError("\(path): \(sentences.count) problems:", sentences.prefix(most) + more)
    }

    /// Blocks the loop for one small file, at start or when the operator reloads it.
    private static func contents(_ path: String) throws(BluetoothFileError) -> [UInt8] {
        let bytes = try BluetoothFileError.during { () throws(FileError) in try PlainFile.bytes(path, atMost: maxBytes) }
        guard bytes.count <= maxBytes else {
            throw BluetoothFileError(
                "\(path) is larger than \(maxBytes >> 20) MB, which is too large for a device file")
        }
        return bytes
    }
}
