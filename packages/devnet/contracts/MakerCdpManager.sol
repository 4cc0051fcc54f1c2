// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {MakerVat, Noting} from "./MakerVat.sol";

/// The urn of a CDP: an address of its own in the Vat.
contract MakerUrn {
    constructor(MakerVat vat) {
        vat.hope(msg.sender);
    }
}

/// CDPs by number, listed for each owner, as DssCdpManager does. Anyone may open one for anyone.
contract MakerCdpManager is Noting {
    struct List {
        uint256 prev;
        uint256 next;
    }

    MakerVat public immutable vat;
    uint256 public cdpi;
    mapping(uint256 => address) public urns;
    mapping(uint256 => List) public list;
    mapping(uint256 => address) public owns;
    mapping(uint256 => bytes32) public ilks;
    mapping(address => uint256) public first;
    mapping(address => uint256) public last;
    mapping(address => uint256) public count;

    event NewCdp(address indexed usr, address indexed own, uint256 indexed cdp);

    modifier cdpAllowed(uint256 cdp) {
        require(msg.sender == owns[cdp], "cdp-not-allowed");
        _;
    }

    constructor(MakerVat vat_) {
        vat = vat_;
    }

    function open(bytes32 ilk, address usr) external note returns (uint256 cdp) {
        cdp = ++cdpi;
        urns[cdp] = address(new MakerUrn(vat));
        ilks[cdp] = ilk;
        _append(cdp, usr);
        emit NewCdp(msg.sender, usr, cdp);
    }

    function give(uint256 cdp, address dst) external note cdpAllowed(cdp) {
        address own = owns[cdp];
        require(dst != own, "dst-already-owner");
        List memory at = list[cdp];
        if (at.prev != 0) list[at.prev].next = at.next;
        else first[own] = at.next;
        if (at.next != 0) list[at.next].prev = at.prev;
        else last[own] = at.prev;
        count[own]--;
        _append(cdp, dst);
    }

    function frob(uint256 cdp, int256 dink, int256 dart) external note cdpAllowed(cdp) {
        address urn = urns[cdp];
        vat.frob(ilks[cdp], urn, urn, urn, dink, dart);
    }

    function flux(uint256 cdp, address dst, uint256 wad) external note cdpAllowed(cdp) {
        vat.flux(ilks[cdp], urns[cdp], dst, wad);
    }

    function move(uint256 cdp, address dst, uint256 rad) external note cdpAllowed(cdp) {
        vat.move(urns[cdp], dst, rad);
    }

    function _append(uint256 cdp, address usr) private {
        owns[cdp] = usr;
        list[cdp] = List(last[usr], 0);
        if (last[usr] != 0) list[last[usr]].next = cdp;
        else first[usr] = cdp;
        last[usr] = cdp;
        count[usr]++;
    }
}
