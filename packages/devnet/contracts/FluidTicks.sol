// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// Fluid's ticks: ratios of debt to collateral that differ by 0.15 %, 96 fractional bits.
library FluidTicks {
    int256 private constant MOST = 32767;

    /// 1.0015^tick, by squares of 2^128 ÷ 1.0015.
    function ratioAt(int256 tick) internal pure returns (uint256) {
        uint128[15] memory factors = [
            0xff9dd7de423466c20352b1246ce4856f,
            0xff3bd55f4488ad277531fa1c725a66d0,
            0xfe78410fd6498b73cb96a6917f853259,
            0xfcf2d9987c9be178ad5bfeffaa123273,
            0xf9ef02c4529258b057769680fc6601b3,
            0xf402d288133a85a17784a411f7aba082,
            0xe895615b5beb6386553757b0352bda90,
            0xd34f17a00ffa00a8309940a15930391a,
            0xae6b7961714e20548d88ea5123f9a0ff,
            0x76d6461f27082d74e0feed3b388c0ca1,
            0x372a3bfe0745d8b6b19d985d9a8b85bb,
            0x0be32cbee48979763cf7247dd7bb539d,
            0x008d4f70c9ff4924dac37612d1e2921e,
            0x00004e009ae5519380809a02ca7aec77,
            0x0000000017c45e641b6e95dee056ff10
        ];
        uint256 size = uint256(tick < 0 ? -tick : tick);
        uint256 factor = 1 << 128;
        for (uint256 i = 0; i < 15; i++) {
            if ((size >> i) & 1 == 1) factor = (factor * factors[i]) >> 128;
        }
        if (tick < 0) return factor >> 32;
        factor = type(uint256).max / factor;
        return factor % (1 << 32) == 0 ? factor >> 32 : (factor >> 32) + 1;
    }

    /// The highest tick whose ratio is not above this one.
    function tickAt(uint256 ratio) internal pure returns (int256 low) {
        low = -MOST;
        int256 high = MOST;
        while (low < high) {
            int256 middle = (low + high + 1) >> 1;
            if (ratioAt(middle) <= ratio) low = middle;
            else high = middle - 1;
        }
    }
}
