// Reads a device file: a list of devices, in JSON written by hand.

import GameFlow
import Glibc

package enum DeviceFile {
    private static let maxBytes = 4 << 20
    private static let maxDevices = 1_000
    /// The default `silence`: how long a beacon must be silent before it counts again.
    private static let usualSilence = Duration.seconds(10)

    package static func read(_ path: String) throws(BluetoothFileError) -> [DeviceSpec] {
        let bytes = try contents(path)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw BluetoothFileError(description: "\(path) is not UTF-8 text")
        }
        return try devices(parse(text, path), path)
    }

    private static func parse(_ text: String, _ path: String) throws(BluetoothFileError) -> JSON {
        do throws(JSONError) {
            return try JSON(parsing: text)
        } catch {
            let (line, column) = text.position(ofByte: error.offset)
            throw BluetoothFileError(description: "\(path), line \(line), column \(column): \(error.problem)")
        }
    }

    private static func devices(_ json: JSON, _ path: String) throws(BluetoothFileError) -> [DeviceSpec] {
        let problems = Problems()
        let fields = FieldReader(json, at: "", problems)
        let silence = fields.optional("silence") { json throws(FieldProblem) in try FieldValue.duration(json) }
        let list = fields.required("devices", like: "[…]") { json throws(FieldProblem) in try FieldValue.list(json) } ?? []
        if list.count > maxDevices {
            problems.record(at: "", "there are \(list.count) devices; a file has \(maxDevices) at most")
        }
        let devices = list.prefix(maxDevices).enumerated().compactMap { index, json in
            DeviceSpec(json, number: index + 1, silence: silence ?? usualSilence, problems)
        }
        noteRepeats(in: devices, problems)
        fields.finish()
        guard problems.sentences.isEmpty else { throw error(path, problems.sentences) }
        return devices
    }

    private static func noteRepeats(in devices: [DeviceSpec], _ problems: Problems) {
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
        guard sentences.count > 1 else { return BluetoothFileError(description: "\(path): \(sentences[0])") }
        let most = 50
        let more = sentences.count > most ? ["and \(sentences.count - most) more"] : []
        return BluetoothFileError("\(path): \(sentences.count) problems:", sentences.prefix(most) + more)
    }

    /// Blocks the loop for one small file, at start or when the operator reloads it.
    private static func contents(_ path: String) throws(BluetoothFileError) -> [UInt8] {
        let file = try InputFile(path)
        var bytes: [UInt8] = []
        while let piece = try file.readPiece() {
            bytes += piece
            guard bytes.count <= maxBytes else {
                throw BluetoothFileError(
                    description: "\(path) is larger than \(maxBytes >> 20) MB, which is too large for a device file")
            }
        }
        return bytes
    }
}

extension String {
    /// Line and column, counted from 1.
    fileprivate func position(ofByte offset: Int) -> (line: Int, column: Int) {
        let before = utf8.prefix(offset)
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { before.index(after: $0) } ?? before.startIndex
        return (line, before[lineStart...].count + 1)
    }
}
