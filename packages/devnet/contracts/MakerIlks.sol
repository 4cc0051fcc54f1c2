// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {MakerJoin} from "./MakerJoin.sol";

/// Which token a kind of collateral is, as the IlkRegistry knows it.
contract MakerIlks {
    mapping(bytes32 => address) public gem;
    mapping(bytes32 => uint256) public dec;

    function add(MakerJoin join) external {
        (gem[join.ilk()], dec[join.ilk()]) = (address(join.gem()), join.dec());
    }
}
