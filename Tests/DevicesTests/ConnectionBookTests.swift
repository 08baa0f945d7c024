// Connected devices, as connections open and close in a stream.

import Bluetooth
import Testing
@testable import Devices

@Suite struct `A book of connections` {
    private let ann = BluetoothAddress(rawValue: 1)
    private let bob = BluetoothAddress(rawValue: 2)

    private func key(_ handle: UInt16, adapter: UInt16 = 0) -> ConnectionID {
        .init(adapter: adapter, handle: ConnectionHandle(rawValue: handle))
    }

    private func came(_ address: BluetoothAddress) -> Observation {
        Observation(address: address, connection: key(1), .connected)
    }

    private func went(_ address: BluetoothAddress, adapter: UInt16 = 0) -> Observation {
        Observation(address: address, connection: key(1, adapter: adapter), .disconnected)
    }

    @Test func `A device with two connections is reported as connected once and as gone once`() {
        var book = ConnectionBook()
        #expect(book.connect(ann, key(1)) == [came(ann)])
        #expect(book.connect(ann, key(1, adapter: 7)) == [])
        #expect(book.connect(ann, key(1)) == [])
        #expect(book.disconnect(key(1)) == nil)
        #expect(book.isConnected(ann))
        #expect(book.disconnect(key(1, adapter: 7)) == went(ann, adapter: 7))
        #expect(book.disconnect(key(1, adapter: 7)) == nil)
    }

    @Test func `A connection with a reused handle ends the handle's previous device`() {
        var book = ConnectionBook()
        _ = book.connect(ann, key(1))
        #expect(book.connect(bob, key(1)) == [went(ann), came(bob)])
        #expect(book.connect(nil, key(1)) == [went(bob)])
        #expect(book.disconnect(key(1)) == nil)
    }

    @Test func `A forgotten device is removed without a report of its disconnection`() {
        var book = ConnectionBook()
        _ = book.connect(ann, key(1))
        _ = book.connect(bob, key(2))
        book.forget(ann)
        #expect(!book.isConnected(ann))
        #expect(book.isConnected(bob))
        #expect(book.disconnect(key(1)) == nil)
    }

    @Test func `A book of connections holds at most 4,096 devices`() {
        var book = ConnectionBook()
        for adapter in 0..<10_000 as Range<UInt16> {
            _ = book.connect(BluetoothAddress(rawValue: UInt64(adapter) + 1), key(0, adapter: adapter))
        }
        #expect(book.isConnected(BluetoothAddress(rawValue: 4_096)))
        #expect(!book.isConnected(BluetoothAddress(rawValue: 4_097)))
    }
}
