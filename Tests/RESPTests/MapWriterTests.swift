import Testing

@testable import RESP

@Suite struct `A map that counts its fields` {
    @Test(arguments: [ProtocolVersion.resp2, .resp3], [0, 1, 4, 5, 9, 10, 49, 50, 99, 100, 1_000])
    func `A map that counts its fields is the same as one with its count up front`(version: ProtocolVersion, count: Int) {
        let (counted, announced) = (ReplyBuffer(protocolVersion: version), ReplyBuffer(protocolVersion: version))
        for buffer in [counted, announced] { buffer.append(simple: "before") }
        var map = counted.beginMap()
        announced.append(mapOf: count)
        for number in 0..<count {
            map.field("field \(number)", number)
            announced.append(bulk: "field \(number)")
            announced.append(integer: number)
        }
        map.end()
        for buffer in [counted, announced] { buffer.append(simple: "after") }
        #expect(Array(counted.unsent) == Array(announced.unsent))
    }

    @Test func `A map that counts its fields holds texts, numbers, booleans, lists, nulls and maps`() {
        let reply = ReplyBuffer(protocolVersion: .resp3)
        var map = reply.beginMap()
        map.field("text", "a")
        map.field("none", String?.none)
        map.field("number", Int?.none)
        map.field("is", true)
        map.field("list", ["x", "y"])
        map.field("maps", Maps(of: [1, 2]) { $1.field("deep", $0) })
        map.end()
        #expect(
            String(decoding: reply.unsent, as: UTF8.self).split(separator: "\r\n").joined(separator: " ")
                == "%6 $4 text $1 a $4 none _ $6 number _ $2 is #t $4 list *2 $1 x $1 y $4 maps *2 %1 $4 deep :1 %1 $4 deep :2")
    }
}
